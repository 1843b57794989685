#version 300 es
// ES 3.00, 3.4: With a space before the `(` the parenthesis belongs to the text.
// value: 3 0 0 1
precision highp float;
out vec4 color;
#define A (3.0)

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
