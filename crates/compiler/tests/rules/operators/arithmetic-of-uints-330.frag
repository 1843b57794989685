// GLSL 3.30, 5.9: `+`, `-`, `*`, `/`, `%` work on unsigned integers.
// value: 5 1 6 1
// set a = 3
// set b = 2
#version 330
out vec4 color;
uniform uint a, b;

void main() {
    color = vec4(a + b, a - b, a * b, a % b + a / b - 1u);
}
