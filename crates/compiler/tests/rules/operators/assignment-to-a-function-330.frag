// GLSL 3.30, 5.8: A function is no variable.
#version 330
out vec4 color;
float f() { return 1.0; }

void main() {
    f = 1.0; //~ error: `f` is a function, not a value
}
