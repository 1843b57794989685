#version 300 es
// ES 3.00, 5.9: 24 bits of unsigned integers.
// value: 11184810 16777215 5592405 1
// set a = 16777215
// set b = 11184810
precision highp float;
precision highp int;
out vec4 color;
uniform uint a, b;

void main() {
    color = vec4(a & b, a | b, a ^ b, 1.0);
}
