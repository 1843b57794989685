// ES 1.00, 6.1: A definition has the result of its prototype.
#version 100
precision mediump float;
float f(float a);
int f(float a) { return 1; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
