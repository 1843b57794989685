// GLSL 3.30, 3.3: `#define` gives a name a text that replaces each use of the name.
// value: 2.5 5 0 1
#version 330
out vec4 color;
#define A 2.5
#define B (A + A)

void main() {
    color = vec4(A, B, 0.0, 1.0);
}
