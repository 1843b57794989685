// GLSL 3.30, 5.9: A literal's runs of ones are cut out, also of a number below zero.
// value: 811076 733253 12481886 -6750183
// set a = 12345678
// set b = -7654321
#version 330
out vec4 color;
uniform int a, b;

void main() {
    color = vec4(a & 0x0ff0f5, 0x0ff0f5 & b, a | 0x123456, b ^ 0x123456);
}
