// GLSL 3.30, 3.3: Macros whose names have two underscores in a row belong to the layers below, but to define one is
// no error.
// value: 1 2 3 1
#version 330
out vec4 color;
#define __A 1.0
#define B__ 2.0
#define C__D 3.0

void main() {
    color = vec4(__A, B__, C__D, 1.0);
}
