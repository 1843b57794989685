// ES 1.00, 6.1: Functions do not differ by in, out and inout alone.
#version 100
precision mediump float;
float f(in float a) { return a; }
float f(out float a) { a = 1.0; return a; } //~ error: the function `f` is defined twice

void main() {
    gl_FragColor = vec4(1.0);
}
