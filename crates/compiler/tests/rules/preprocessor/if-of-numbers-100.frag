// ES 1.00, 3.4: `#if` takes its group where the number is not 0.
// value: 1 0 1 1
#version 100
precision mediump float;
#if 1
#define A 1.0
#else
#define A 0.0
#endif
#if 0
#define B 1.0
#else
#define B 0.0
#endif
#if -1
#define C 1.0
#endif

void main() {
    gl_FragColor = vec4(A, B, C, 1.0);
}
