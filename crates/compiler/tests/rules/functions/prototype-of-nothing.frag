// GLSL 3.30, 6.1: A prototype of a function without result and parameters is possible.
// value: 1 0 0 1
#version 330
out vec4 color;
void unused();

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
