#version 300 es
// ES 3.00, 6.1: Functions do not differ by in, out and inout alone.
precision highp float;
out vec4 color;
float f(in float a) { return a; }
float f(out float a) { a = 1.0; return a; } //~ error

void main() {
    color = vec4(1.0);
}
