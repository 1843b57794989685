// ES 1.00, 6.1: A function is defined once.
#version 100
precision mediump float;
float f(float a) { return a; }
float f(float b) { return b; } //~ error: the function `f` is defined twice

void main() {
    gl_FragColor = vec4(1.0);
}
