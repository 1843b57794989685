// ES 1.00, 5.4.1: A number or bool is made from any other.
// value: 3 1 2 1
// set u = 3.7
// set n = 2
// set b = 1
#version 100
precision mediump float;
uniform float u;
uniform int n;
uniform bool b;

void main() {
    gl_FragColor = vec4(float(int(u)), float(bool(u)), float(n), float(int(b)));
}
