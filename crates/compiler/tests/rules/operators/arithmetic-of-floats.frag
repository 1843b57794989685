// ES 1.00, 5.9: `+`, `-`, `*`, `/` work on floats.
// value: 5 1 6 1.5
// set a = 3
// set b = 2
#version 100
precision mediump float;
uniform float a, b;

void main() {
    gl_FragColor = vec4(a + b, a - b, a * b, a / b);
}
