// GLSL 3.30, 6.1: Functions differ by their parameters, not by their results.
#version 330
out vec4 color;
float f(float a) { return a; }
int f(float a) { return 1; } //~ error: the result of `f` is of type `int` here, and `float` on line 4

void main() {
    color = vec4(1.0);
}
