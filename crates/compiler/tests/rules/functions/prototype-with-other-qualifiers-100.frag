// ES 1.00, 6.1: A definition has the qualifiers of its prototype.
#version 100
precision mediump float;
float f(float a);
float f(out float a) { a = 1.0; return a; } //~ error: this parameter of `f` has other qualifiers than on line 4
void g(inout float a);
void g(out float a) { a = 1.0; } //~ error: this parameter of `g` has other qualifiers than on line 6

void main() {
    gl_FragColor = vec4(1.0);
}
