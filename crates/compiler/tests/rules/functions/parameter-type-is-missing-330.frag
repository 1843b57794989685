// GLSL 3.30, 6.1: A parameter has a type.
#version 330
out vec4 color;
float f(a) { return a; } //~ error: there is no type `a`
float g(float a, b) { return a; } //~ error: there is no type `b`

void main() {
    color = vec4(1.0);
}
