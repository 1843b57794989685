// GLSL 3.30, 6.1: Functions do not differ by their results alone.
#version 330
out vec4 color;
float f(float a) { return a; }
vec2 f(float a) { return vec2(a); } //~ error: the result of `f` is of type `vec2` here, and `float` on line 4

void main() {
    color = vec4(1.0);
}
