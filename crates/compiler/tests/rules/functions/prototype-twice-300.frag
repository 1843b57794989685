#version 300 es
// ES 3.00, 6.1: A function may be declared several times.
// value: 2 0 0 1
precision highp float;
out vec4 color;
float f(float a);
float f(float b);
float f(float a) { return a + 1.0; }

void main() {
    color = vec4(f(1.0), 0.0, 0.0, 1.0);
}
