// GLSL 3.30, 6.1: A function is defined once.
#version 330
out vec4 color;
float f(float a) { return a; }
float f(float b) { return b; } //~ error: the function `f` is defined twice

void main() {
    color = vec4(1.0);
}
