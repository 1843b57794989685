// ES 1.00, 6.1: Functions are defined outside of functions.
#version 100
precision mediump float;
void main() {
    float f() { return 1.0; } //~ error
    gl_FragColor = vec4(1.0);
}
