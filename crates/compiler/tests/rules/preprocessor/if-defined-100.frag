// ES 1.00, 3.4: `defined` takes a name with or without parentheses.
// value: 1 1 1 1
#version 100
precision mediump float;
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
    gl_FragColor = vec4(R, G, Z, 1.0);
}
