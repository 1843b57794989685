// GLSL 3.30, 6.1: A parameter has a type.
#version 330
out vec4 color;
float f(a) { return a; } //~ error
float g(float a, b) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
