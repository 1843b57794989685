#version 300 es
// ES 3.00, 5.9: A division of integers by 0 gives some value, no error.
precision highp float;
out vec4 color;
const int a = 1 / 0;
const int b = 1 % 0;

void main() {
    color = vec4(a, b, 0.0, 1.0);
}
