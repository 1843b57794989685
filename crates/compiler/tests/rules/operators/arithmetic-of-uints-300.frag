#version 300 es
// ES 3.00, 5.9: `+`, `-`, `*`, `/`, `%` work on unsigned integers.
// value: 5 1 6 1
// set a = 3
// set b = 2
precision highp float;
out vec4 color;
uniform uint a, b;

void main() {
    color = vec4(a + b, a - b, a * b, a % b + a / b - 1u);
}
