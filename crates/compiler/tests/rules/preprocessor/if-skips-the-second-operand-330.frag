// GLSL 3.30, 3.3: The second operand of `&&` and `||` is computed only where it decides, so it may hold anything
// else.
// value: 1 1 1 1
#version 330
out vec4 color;
#if defined(A) && A > 3
#define R 0.0
#else
#define R 1.0
#endif
#if !defined(A) || A > 3
#define G 1.0
#endif
#if 0 && 1 / 0
#define B 0.0
#else
#define B 1.0
#endif

void main() {
    color = vec4(R, G, B, 1.0);
}
