#version 300 es
// ES 3.00, 5.9: A shift by a constant is a product or a quotient.
// value: 40 2 -2 1
// set a = 5
// set b = -5
precision highp float;
out vec4 color;
uniform int a, b;

void main() {
    color = vec4(a << 3, a >> 1, (b + 1) >> 1, 1.0);
}
