#version 300 es
// ES 3.00, 5.9: Where sizes are known, fewer bits are looked at.
// value: 65 317 0 1
// set a = 12345678
// set b = -7654321
precision highp float;
precision highp int;
out vec4 color;
uniform int a, b;

void main() {
    color = vec4((a & 63) ^ (b & 1023), ((a & 255) >> 3) | ((b & 255) << 2), (a % 16) & abs(b), 1.0);
}
