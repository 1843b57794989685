#version 300 es
// ES 3.00, 3.4: There is no operator `##`.
precision highp float;
out vec4 color;
#define JOIN(a, b) a##b //~ error: GLSL ES 3.00 has no `##`

void main() {
}
