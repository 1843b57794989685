// ES 1.00, 6.1: A function's result may have a precision.
// value: 1 0 0 1
#version 100
precision mediump float;
highp float f(lowp float a) { return a; }

void main() {
    gl_FragColor = vec4(f(1.0), 0.0, 0.0, 1.0);
}
