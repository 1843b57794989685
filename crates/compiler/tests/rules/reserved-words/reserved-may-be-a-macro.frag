#version 300 es
// ES 3.00, 3.7: A macro may have the name of a reserved word, since macros come first.
// value: 3 0 0 1
precision highp float;
out vec4 color;
#define input 3.0

void main() {
    color = vec4(input, 0.0, 0.0, 1.0);
}
