// GLSL 3.30, 3.3: `#if` takes its group where the number is not 0.
// value: 1 0 1 1
#version 330
out vec4 color;
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
    color = vec4(A, B, C, 1.0);
}
