// ES 1.00, 5.4.1: bool(x) is false for 0 and -0, else true.
// value: 0 1 1 0
// set a = 0
// set b = -3
// set c = 0.001
#version 100
precision mediump float;
uniform float a, c;
uniform int b;

void main() {
    gl_FragColor = vec4(float(bool(a)), float(bool(b)), float(bool(c)), float(bool(-a)));
}
