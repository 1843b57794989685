// GLSL 1.10, 3.3: There is no operator `##`.
#version 110
#define JOIN(a, b) a##b //~ error: GLSL 1.10 has no `##`

void main() {
}
