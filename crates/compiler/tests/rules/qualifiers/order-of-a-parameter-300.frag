#version 300 es
// ES 3.00, 4.7: The order of a parameter is const, in or out, precision.
// value: 3 0 0 1
precision highp float;
out vec4 color;
float f(const in mediump float a, out highp float b) { b = 1.0; return a; }

void main() {
    float b;
    float a = f(2.0, b);
    color = vec4(a + b, 0.0, 0.0, 1.0);
}
