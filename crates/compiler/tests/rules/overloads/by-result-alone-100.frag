// ES 1.00, 6.1: Functions do not differ by their results alone.
#version 100
precision mediump float;
float f(float a) { return a; }
vec2 f(float a) { return vec2(a); } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
