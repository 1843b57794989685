// ES 1.00, 3.4: Of a chain of conditions the first group that holds counts.
// value: 2 0 0 1
#version 100
precision mediump float;
#define N 2
#if N == 1
#define A 1.0
#elif N == 2
#define A 2.0
#elif N == 2
#define A 3.0
#else
#define A 4.0
#endif

void main() {
    gl_FragColor = vec4(A, 0.0, 0.0, 1.0);
}
