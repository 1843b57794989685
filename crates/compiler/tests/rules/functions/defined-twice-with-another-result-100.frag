// ES 1.00, 6.1: Functions differ by their parameters, not by their results.
#version 100
precision mediump float;
float f(float a) { return a; }
int f(float a) { return 1; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
