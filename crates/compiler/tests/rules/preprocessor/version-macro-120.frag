// GLSL 1.20, 3.3: `__VERSION__` is the number of the version.
// value: 1 1 0 1
#version 120
#if __VERSION__ == 120
#define A 1.0
#else
#define A 0.0
#endif

void main() {
    gl_FragColor = vec4(A, __VERSION__ == 120, 0.0, 1.0);
}
