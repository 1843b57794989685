#version 300 es
// ES 3.00, 4.6.1: A function is not invariant.
precision highp float;
out vec4 color;
float f() { return 1.0; }
invariant f; //~ error: `f` is no variable

void main() {
    color = vec4(1.0);
}
