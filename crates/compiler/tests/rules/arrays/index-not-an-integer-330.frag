// GLSL 3.30, 5.7: An index is an integer.
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    float b = a[0.0]; //~ error: an index is an integer, not `float`
    float c = a[true]; //~ error: an index is an integer, not `bool`
    float d = a[ivec2(0)]; //~ error: an index is an integer, not `ivec2`
    float e = a[]; //~ error: expected an expression, found `]`
}
