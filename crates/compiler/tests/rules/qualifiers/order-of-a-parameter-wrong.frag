// ES 1.00, 4.7: The order of a parameter is const, in or out, precision.
#version 100
precision mediump float;
float f(mediump in float a) { return a; } //~ error: `in` comes before `mediump` in GLSL ES 1.00
float g(highp const float a) { return a; } //~ error: `const` comes before `highp` in GLSL ES 1.00
float h(in const float a) { return a; } //~ error: `in` and `const` cannot be combined

void main() {
    gl_FragColor = vec4(1.0);
}
