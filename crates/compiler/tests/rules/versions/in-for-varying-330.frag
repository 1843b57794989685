// GLSL 3.30, 4.3.4: Values from the vertex shader are `in`.
// value: 1 0 0 1
#version 330
out vec4 color;
in vec2 uv;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
