#version 100
// ES 1.00, 6.1: The qualifiers of parameters are alike in all declarations.
precision mediump float;
float f(float a);
float f(const float a) { return a; } //~ error: this parameter of `f` has other qualifiers than on line 4

void main() {
    gl_FragColor = vec4(f(1.0));
}
