// GLSL 1.50, 3.3: `__VERSION__` is the number of the version.
// value: 1 1 0 1
#version 150
out vec4 color;
#if __VERSION__ == 150
#define A 1.0
#else
#define A 0.0
#endif

void main() {
    color = vec4(A, __VERSION__ == 150, 0.0, 1.0);
}
