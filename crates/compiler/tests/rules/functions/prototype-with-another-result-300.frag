#version 300 es
// ES 3.00, 6.1: A definition has the result of its prototype.
precision highp float;
out vec4 color;
float f(float a);
int f(float a) { return 1; } //~ error: the result of `f` is of type `int` here, and `float` on line 5

void main() {
    color = vec4(1.0);
}
