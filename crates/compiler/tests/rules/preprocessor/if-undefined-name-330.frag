// GLSL 3.30, 3.3: A name that is not defined counts as 0 in `#if`.
// value: 1 0 0 1
#version 330
out vec4 color;
#if NOT_DEFINED
#define A 0.0
#else
#define A 1.0
#endif

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
