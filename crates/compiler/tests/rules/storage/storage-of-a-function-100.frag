// ES 1.00, 6.1: A function and its result have no storage qualifier.
#version 100
precision mediump float;
uniform float f() { return 1.0; } //~ error: `uniform` is not allowed on the result of a function
const float g() { return 1.0; } //~ error: `const` is not allowed on the result of a function
varying float h() { return 1.0; } //~ error: `varying` is not allowed on the result of a function

void main() {
    gl_FragColor = vec4(1.0);
}
