// GLSL 3.30, 6.1: Functions do not differ by in, out and inout alone.
#version 330
out vec4 color;
float f(in float a) { return a; }
float f(out float a) { a = 1.0; return a; } //~ error: the function `f` is defined twice

void main() {
    color = vec4(1.0);
}
