// ES 1.00, 6.1: Functions do not differ by precision alone.
#version 100
precision mediump float;
float f(highp float a) { return a; }
float f(lowp float a) { return a; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
