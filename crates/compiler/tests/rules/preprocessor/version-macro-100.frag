// ES 1.00, 3.4: `__VERSION__` is the number of the version.
// value: 1 1 0 1
#version 100
precision mediump float;
#if __VERSION__ == 100
#define A 1.0
#else
#define A 0.0
#endif

void main() {
    gl_FragColor = vec4(A, __VERSION__ == 100, 0.0, 1.0);
}
