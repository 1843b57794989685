#version 300 es
// ES 3.00, 5.9: The machine has no operations on bits.
precision highp float;
out vec4 color;
uniform int a, b;

void main() {
    int c = a & b; //~ error
    int d = a | b; //~ error
    int e = a ^ b; //~ error
    color = vec4(c + d + e);
}
