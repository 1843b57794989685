// ES 1.00, 6.1: A parameter has a type.
#version 100
precision mediump float;
float f(a) { return a; } //~ error: there is no type `a`
float g(float a, b) { return a; } //~ error: there is no type `b`

void main() {
    gl_FragColor = vec4(1.0);
}
