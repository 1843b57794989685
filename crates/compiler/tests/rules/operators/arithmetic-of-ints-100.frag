// ES 1.00, 5.9: `+`, `-`, `*`, `/` work on integers; a quotient is cut towards zero.
// value: 5 1 6 -3
// set a = 3
// set b = 2
// set c = -7
#version 100
precision mediump float;
uniform int a, b, c;

void main() {
    gl_FragColor = vec4(float(a + b), float(a - b), float(a * b), float(c / b));
}
