#version 300 es
// ES 3.00, 3.4: `__VERSION__` is the number of the version.
// value: 1 1 0 1
precision highp float;
out vec4 color;
#if __VERSION__ == 300
#define A 1.0
#else
#define A 0.0
#endif

void main() {
    color = vec4(A, __VERSION__ == 300, 0.0, 1.0);
}
