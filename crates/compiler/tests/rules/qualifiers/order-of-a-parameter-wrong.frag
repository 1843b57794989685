// ES 1.00, 4.7: The order of a parameter is const, in or out, precision.
#version 100
precision mediump float;
float f(mediump in float a) { return a; } //~ error
float g(highp const float a) { return a; } //~ error
float h(in const float a) { return a; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
