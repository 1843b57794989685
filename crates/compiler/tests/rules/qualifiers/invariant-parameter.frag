// ES 1.00, 4.6.1: A parameter is not invariant.
#version 100
precision mediump float;
float f(invariant float a) { return a; } //~ error: `invariant` is not allowed on a parameter

void main() {
    gl_FragColor = vec4(1.0);
}
