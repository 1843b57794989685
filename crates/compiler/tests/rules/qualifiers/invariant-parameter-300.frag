#version 300 es
// ES 3.00, 4.6.1: A parameter is not invariant.
precision highp float;
out vec4 color;
float f(invariant float a) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
