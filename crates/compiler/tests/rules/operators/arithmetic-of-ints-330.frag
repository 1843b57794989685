// GLSL 3.30, 5.9: `+`, `-`, `*`, `/` work on integers; a quotient is cut towards zero.
// value: 5 1 6 -3
// set a = 3
// set b = 2
// set c = -7
#version 330
out vec4 color;
uniform int a, b, c;

void main() {
    color = vec4(float(a + b), float(a - b), float(a * b), float(c / b));
}
