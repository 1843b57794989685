// GLSL 3.30, 3.3: Macros that name each other end: none is expanded within its own text.
// value: 1 2 0 1
#version 330
out vec4 color;
#define a b
#define b a

void main() {
    float a = 1.0, c = 2.0;
    color = vec4(a, c, 0.0, 1.0);
}
