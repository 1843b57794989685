#version 300 es
// ES 3.00, 3.4: A comment is no part of a macro.
// value: 3 0 0 1
precision highp float;
out vec4 color;
#define A 1.0 // one
#define B 2.0 /* two */

void main() {
    color = vec4(A + B, 0.0, 0.0, 1.0);
}
