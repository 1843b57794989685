// GLSL 3.30, 3.3: Operators bind in the order of C: `*`, `+`, `<<`, `<`, `==`, `&`, `^`, `|`, `&&`, `||`.
// value: 1 1 1 1
#version 330
out vec4 color;
#if 1 || 0 && 0
#define R 1.0
#endif
#if (1 | 2 ^ 3 & 4) == 3 && 1 + 1 << 1 == 4
#define G 1.0
#endif
#if 5 & 1 == 1
#define B 1.0
#endif
#if 2 < 1 == 0 && !1 + 1 == 1
#define A 1.0
#endif

void main() {
    color = vec4(R, G, B, A);
}
