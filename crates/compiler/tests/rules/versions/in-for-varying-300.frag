#version 300 es
// ES 3.00, 4.3.4: Values from the vertex shader are `in`.
// value: 1 0 0 1
precision highp float;
out vec4 color;
in vec2 uv;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
