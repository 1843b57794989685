#version 300 es
// ES 3.00, 3.4: The text of a macro is expanded where it is used, not where it is defined.
// value: 2 0 0 1
precision highp float;
out vec4 color;
#define A B
#define B 1.0
#undef B
#define B 2.0

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
