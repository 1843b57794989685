// ES 1.00, 5.4.1: int(f) drops the fraction, towards zero.
// value: 2 -2 0 0
// set a = 2.75
// set b = -2.75
// set c = 0.99
#version 100
precision mediump float;
uniform float a, b, c;

void main() {
    gl_FragColor = vec4(float(int(a)), float(int(b)), float(int(c)), float(int(-c)));
}
