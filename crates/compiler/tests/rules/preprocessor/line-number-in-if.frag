// GLSL 3.30, 3.3: `__LINE__` is a number in `#if`.
// value: 1 0 0 1
#version 330
out vec4 color;
#line 4
#if __LINE__ == 4
#define A 1.0
#else
#define A 0.0
#endif

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
