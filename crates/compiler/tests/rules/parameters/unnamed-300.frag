#version 300 es
// ES 3.00, 6.1: A parameter that a function does not use needs no name.
// value: 3 0 0 1
precision highp float;
out vec4 color;
float f(float a, float, vec2) { return a; }
float g(float[2], int b[3]) { return float(b[1]); }

void main() {
    float w[2]; w[0] = 1.0; w[1] = 2.0;
    int n[3];
    n[0] = 0; n[1] = 0; n[2] = 0;
    color = vec4(f(3.0, 4.0, vec2(5.0)) + g(w, n), 0.0, 0.0, 1.0);
}
