// GLSL 1.10, 3.3: `__VERSION__` is the number of the version.
// value: 1 1 0 1
#version 110
#if __VERSION__ == 110
#define A 1.0
#else
#define A 0.0
#endif

void main() {
    gl_FragColor = vec4(A, __VERSION__ == 110, 0.0, 1.0);
}
