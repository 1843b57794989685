// GLSL 3.30, 6.1: A shader's own function replaces the built-in one of the same types.
// value: 9 0 0 1
#version 330
out vec4 color;
float max(float a, float b) { return 9.0; }

void main() {
    color = vec4(max(1.0, 2.0), 0.0, 0.0, 1.0);
}
