#version 300 es
// ES 3.00, 6.1: A function and its result have no storage qualifier.
precision highp float;
out vec4 color;
uniform float f() { return 1.0; } //~ error
const float g() { return 1.0; } //~ error
in float h() { return 1.0; } //~ error

void main() {
    color = vec4(1.0);
}
