#version 300 es
// ES 3.00, 5.9: Operations on bits by components, and with a scalar.
// value: 12345673 -7654328 8921166 1
// set a = 12345678
// set b = -7654321
precision highp float;
precision highp int;
out vec4 color;
uniform int a, b;

void main() {
    ivec2 x = ivec2(a, b) ^ 7;
    x.y ^= 0;
    color = vec4(x, (ivec2(a) & ivec2(b)).y, 1.0);
}
