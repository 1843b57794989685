// GLSL 3.30, 6.1: Functions of one name differ by the number of their parameters.
// value: 0 1 2 1
#version 330
out vec4 color;
float f() { return 0.0; }
float f(float a) { return 1.0; }
float f(float a, float b) { return 2.0; }

void main() {
    color = vec4(f(), f(0.0), f(0.0, 0.0), 1.0);
}
