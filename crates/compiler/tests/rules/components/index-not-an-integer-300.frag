#version 300 es
// ES 3.00, 5.5: The number of a component is an integer.
precision highp float;
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    float a = v[1.0]; //~ error: an index is an integer, not `float`
    float b = v[true]; //~ error: an index is an integer, not `bool`
    float c = v[ivec2(1)]; //~ error: an index is an integer, not `ivec2`
    float d = v[]; //~ error: expected an expression, found `]`
}
