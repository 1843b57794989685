#version 300 es
// ES 3.00, 6.1: A function is defined once.
precision highp float;
out vec4 color;
float f(float a) { return a; }
float f(float b) { return b; } //~ error

void main() {
    color = vec4(1.0);
}
