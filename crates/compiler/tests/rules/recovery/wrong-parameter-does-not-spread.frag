#version 300 es
// ES 3.00, 6.1: A function with a parameter of an unknown type can be called.
precision highp float;
out vec4 color;
float f(Thing a, float b) { return b; } //~ error: there is no type `Thing`

void main() {
    color = vec4(f(1.0, 2.0));
}
