// GLSL 3.30, 6.1: All arguments decide.
// value: 1 2 3 1
#version 330
out vec4 color;
float f(float a, vec2 b) { return 1.0; }
float f(vec2 a, float b) { return 2.0; }
float f(vec2 a, vec2 b) { return 3.0; }

void main() {
    color = vec4(f(0.0, vec2(0.0)), f(vec2(0.0), 0.0), f(vec2(0.0), vec2(0.0)), 1.0);
}
