#version 300 es
// ES 3.00, 6.1: Functions do not differ by const alone.
precision highp float;
out vec4 color;
float f(float a) { return a; }
float f(const float a) { return a; } //~ error: the function `f` is defined twice

void main() {
    color = vec4(1.0);
}
