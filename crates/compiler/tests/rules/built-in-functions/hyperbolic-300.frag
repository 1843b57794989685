#version 300 es
// ES 3.00, 8.1: sinh, cosh, tanh and their inverses are there.
// value: 0 1 0 0
precision highp float;
out vec4 color;
void main() {
    float a = sinh(0.0);
    float b = cosh(0.0);
    float c = tanh(0.0);
    color = vec4(a, b, c, asinh(0.0) + acosh(1.0) + atanh(0.0));
}
