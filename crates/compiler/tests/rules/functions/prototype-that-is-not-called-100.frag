// ES 1.00, 6.1: A function that is never called needs no body.
// value: 1 0 0 1
#version 100
precision mediump float;
float f(float a);

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
