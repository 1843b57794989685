// GLSL 3.30, 6.1: Functions do not differ by const alone.
#version 330
out vec4 color;
float f(float a) { return a; }
float f(const float a) { return a; } //~ error: the function `f` is defined twice

void main() {
    color = vec4(1.0);
}
