#version 300 es
// ES 3.00, 5.9: `&`, `|` and `^` of numbers that are not known take them bit by bit.
// value: 8921166 -4229809 -13150975 1
// set a = 12345678
// set b = -7654321
precision highp float;
precision highp int;
out vec4 color;
uniform int a, b;

void main() {
    color = vec4(a & b, a | b, a ^ b, 1.0);
}
