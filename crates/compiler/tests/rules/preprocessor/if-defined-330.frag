// GLSL 3.30, 3.3: `defined` takes a name with or without parentheses.
// value: 1 1 1 1
#version 330
out vec4 color;
#define A
#if defined A && defined(A) && defined ( A )
#define R 1.0
#endif
#if !defined B && !defined(B)
#define G 1.0
#endif
#if defined(B) || defined(A)
#define Z 1.0
#endif

void main() {
    color = vec4(R, G, Z, 1.0);
}
