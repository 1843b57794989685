// ES 1.00, 3.4: There is no operator `##`.
#version 100
precision mediump float;
#define JOIN(a, b) a##b //~ error: GLSL ES 1.00 has no `##`

void main() {
}
