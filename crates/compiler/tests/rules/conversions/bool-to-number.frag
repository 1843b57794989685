// ES 1.00, 5.4.1: float(true) and int(true) are 1, those of false 0.
// value: 1 0 1 0
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    gl_FragColor = vec4(float(b), float(!b), float(int(b)), float(int(!b)));
}
