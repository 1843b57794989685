// GLSL 3.30, 4.3.1: What is never used draws no warning.
// value: 1 0 0 1
#version 330
out vec4 color;
uniform float u;
float g;
float f(float a) { return a; }

void main() {
    float a, b = 2.0;
    vec2 v;
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
