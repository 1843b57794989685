#version 300 es
// ES 3.00, 5.9: The negative of an unsigned 0 is 0.
// value: 0 0 0 1
// set n = 0
precision highp float;
out vec4 color;
uniform uint n;

void main() {
    color = vec4(-n, 0.0, 0.0, 1.0);
}
