// GLSL 3.30, 6.1: A function has a type of result.
#version 330
out vec4 color;
f(float a) { return a; } //~ error: expected the name of a variable, found `(`

void main() {
    color = vec4(1.0);
}
