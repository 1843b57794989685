// GLSL 3.30, 6.1: A function that is never called needs no body.
// value: 1 0 0 1
#version 330
out vec4 color;
float f(float a);

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
