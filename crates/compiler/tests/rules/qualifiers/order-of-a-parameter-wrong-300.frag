#version 300 es
// ES 3.00, 4.7: The order of a parameter is const, in or out, precision.
precision highp float;
out vec4 color;
float f(mediump in float a) { return a; } //~ error
float g(highp const float a) { return a; } //~ error
float h(in const float a) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
