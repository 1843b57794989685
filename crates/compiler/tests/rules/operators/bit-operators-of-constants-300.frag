#version 300 es
// ES 3.00, 5.9: The operators of bits work on constants.
// value: 4 13 9 40
precision highp float;
out vec4 color;
void main() {
    const int a = 12 & 6, b = 12 | 5, c = 12 ^ 5, d = 5 << 3;
    color = vec4(a, b, c, d);
}
