#version 300 es
// ES 3.00, 4.2.2: A local variable hides a function.
// value: 2 5 0 1
precision highp float;
out vec4 color;
float f(float x) { return x; }

void main() {
    float b = f(5.0);
    float f = 2.0;
    color = vec4(f, b, 0.0, 1.0);
}
