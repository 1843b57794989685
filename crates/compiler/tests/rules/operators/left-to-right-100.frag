// ES 1.00, 5.1: Operators of one strength bind from the left.
// value: 1 3 16 2
// set a = 8
#version 100
precision mediump float;
uniform float a;

void main() {
    gl_FragColor = vec4(a - 4.0 - 3.0, a - (4.0 + 1.0), a / 2.0 * 4.0, a / 2.0 / 2.0);
}
