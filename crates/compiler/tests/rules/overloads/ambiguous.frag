// GLSL 3.30, 6.1: Where several fit by conversion, the call is an error.
#version 330
out vec4 color;
float f(float a, int b) { return 1.0; }
float f(int a, float b) { return 2.0; }

void main() {
    float a = f(1, 2); //~ error: the call `f(int, int)` is ambiguous
}
