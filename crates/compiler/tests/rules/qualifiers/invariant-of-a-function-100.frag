// ES 1.00, 4.6.1: A function is not invariant.
#version 100
precision mediump float;
float f() { return 1.0; }
invariant f; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
