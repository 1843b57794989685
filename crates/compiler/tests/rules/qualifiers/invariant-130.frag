// GLSL 1.30, 4.6.1: Inputs may be invariant as the vertex shader's outputs are.
// value: 1 0 0 1
#version 130
out vec4 color;
invariant in vec2 a;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
