#version 300 es
// ES 3.00, 5.7: An index is an integer.
precision highp float;
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    float b = a[0.0]; //~ error: an index is an integer, not `float`
    float c = a[true]; //~ error: an index is an integer, not `bool`
    float d = a[ivec2(0)]; //~ error: an index is an integer, not `ivec2`
    float e = a[]; //~ error: expected an expression, found `]`
}
