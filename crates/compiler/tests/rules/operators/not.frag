// ES 1.00, 5.9: `!` is the other truth value.
// value: 0 1 1 0
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    gl_FragColor = vec4(float(!b), float(!!b), float(!(b && !b)), float(!b || !b));
}
