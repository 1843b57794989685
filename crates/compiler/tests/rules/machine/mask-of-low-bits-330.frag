// GLSL 3.30, 5.9: `& (2^n - 1)` keeps the low bits.
// value: 5 3 0 1
// set a = 13
#version 330
out vec4 color;
uniform int a;

void main() {
    color = vec4(a & 7, (a + 6) & 15, a & 0, 1.0);
}
