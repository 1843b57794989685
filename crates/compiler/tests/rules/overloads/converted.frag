// GLSL 3.30, 6.1: Where none fits exactly, the only one that fits by conversion is called.
// value: 1 2 0 1
#version 330
out vec4 color;
float f(float a, float b) { return 1.0; }
float f(vec2 a, float b) { return 2.0; }

void main() {
    color = vec4(f(1, 2), f(vec2(0.0), 1), 0.0, 1.0);
}
