// GLSL 3.30, 6.1: `main` takes nothing.
#version 330
out vec4 color;
void main(float a) { //~ error: `main` has no parameters
}
