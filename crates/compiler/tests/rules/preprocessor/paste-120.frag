// GLSL 1.20, 3.3: There is no operator `##`.
#version 120
#define JOIN(a, b) a##b //~ error: GLSL 1.20 has no `##`

void main() {
}
