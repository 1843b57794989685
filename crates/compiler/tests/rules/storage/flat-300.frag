#version 300 es
// ES 3.00, 4.3.9: Inputs may be `flat`, `smooth` and `centroid`.
// value: 1 0 0 1
precision highp float;
out vec4 color;
flat in int a;
smooth in vec2 b;
flat in vec2 c;
centroid in float d;
smooth centroid in float e;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
