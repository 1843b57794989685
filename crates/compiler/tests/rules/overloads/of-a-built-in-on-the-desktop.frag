// GLSL 3.30, 6.1: On the desktop a shader's function beside a built-in one of that name adds another.
// value: 9 2 0 1
#version 330
out vec4 color;
float max(vec2 a) { return 9.0; }

void main() {
    color = vec4(max(vec2(1.0)), max(1.0, 2.0), 0.0, 1.0);
}
