// ES 1.00, 4.7: The order of a parameter is const, in or out, precision.
// value: 3 0 0 1
#version 100
precision mediump float;
float f(const in mediump float a, out highp float b) { b = 1.0; return a; }

void main() {
    float b;
    float a = f(2.0, b);
    gl_FragColor = vec4(a + b, 0.0, 0.0, 1.0);
}
