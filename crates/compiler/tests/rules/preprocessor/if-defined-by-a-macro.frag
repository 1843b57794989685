// GLSL 3.30, 3.3: `defined` may come from a macro.
// value: 1 0 0 1
#version 330
out vec4 color;
#define A 0
#define HAS_A defined(A)
#if HAS_A
#define R 1.0
#else
#define R 0.0
#endif

void main() {
    color = vec4(R, 0.0, 0.0, 1.0);
}
