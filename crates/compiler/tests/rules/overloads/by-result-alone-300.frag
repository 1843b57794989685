#version 300 es
// ES 3.00, 6.1: Functions do not differ by their results alone.
precision highp float;
out vec4 color;
float f(float a) { return a; }
vec2 f(float a) { return vec2(a); } //~ error: the result of `f` is of type `vec2` here, and `float` on line 5

void main() {
    color = vec4(1.0);
}
