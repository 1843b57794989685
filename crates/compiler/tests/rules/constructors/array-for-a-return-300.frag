#version 300 es
// ES 3.00, 6.1: An array may be the result of a function.
// value: 1 2 0 1
precision highp float;
out vec4 color;
float[2] f() { return float[2](1.0, 2.0); }

void main() {
    float a[2] = f();
    color = vec4(a[0], f()[1], 0.0, 1.0);
}
