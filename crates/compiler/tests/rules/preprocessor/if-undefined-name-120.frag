// GLSL 1.20, 3.3: A name that is not defined counts as 0 in `#if`.
// value: 1 0 0 1
#version 120
#if NOT_DEFINED
#define A 0.0
#else
#define A 1.0
#endif

void main() {
    gl_FragColor = vec4(A, 0.0, 0.0, 1.0);
}
