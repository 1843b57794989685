// GLSL 3.30, 5.9: A literal below zero has ones without end.
// value: 12345600 -7654323 -34 7654320
// set a = 12345678
// set b = -7654321
#version 330
out vec4 color;
uniform int a, b;

void main() {
    color = vec4(a & -256, b & -3, a | -100, b ^ -1);
}
