#version 300 es
// ES 3.00, 5.9: A division of constants by 0 gives some value, no error.
precision highp float;
out vec4 color;
const float a = 1.0 / 0.0;
const float b = 0.0 / 0.0;

void main() {
    color = vec4(a > 1.0, b, 0.0, 1.0);
}
