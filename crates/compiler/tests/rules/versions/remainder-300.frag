#version 300 es
// ES 3.00, 5.9: `%` gives the remainder of integers.
// value: 2 0 0 1
// set n = 17
precision highp float;
out vec4 color;
uniform int n;

void main() {
    int a = n % 5;
    color = vec4(a, 0.0, 0.0, 1.0);
}
