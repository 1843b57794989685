// ES 1.00, 6.1: A parameter has a type.
#version 100
precision mediump float;
float f(a) { return a; } //~ error
float g(float a, b) { return a; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
