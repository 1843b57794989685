// GLSL 3.30, 5.9: `&`, `|` and `^` of numbers that are not known take them bit by bit.
// value: 8921166 -4229809 -13150975 1
// set a = 12345678
// set b = -7654321
#version 330
out vec4 color;
uniform int a, b;

void main() {
    color = vec4(a & b, a | b, a ^ b, 1.0);
}
