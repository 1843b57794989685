// ES 1.00, 4.5.1: A precision is at least what it says, so the machine may compute in one precision everywhere.
// value: 1 1 0 1
// set u = 4097
#version 100
precision mediump float;
uniform highp float u;

void main() {
    lowp float a = u;
    mediump float b = a + 1.0;
    gl_FragColor = vec4(b - a, a == u, 0.0, 1.0);
}
