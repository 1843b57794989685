// GLSL 3.30, 6.1: A definition has the result of its prototype.
#version 330
out vec4 color;
float f(float a);
int f(float a) { return 1; } //~ error: the result of `f` is of type `int` here, and `float` on line 4

void main() {
    color = vec4(1.0);
}
