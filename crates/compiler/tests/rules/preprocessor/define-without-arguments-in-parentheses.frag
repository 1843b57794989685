#version 300 es
// ES 3.00, 3.4: A macro may have an empty list of arguments.
// value: 4 0 0 1
precision highp float;
out vec4 color;
#define FOUR() 4.0

void main() {
    color = vec4(FOUR(), FOUR( ) - FOUR(), 0.0, 1.0);
}
