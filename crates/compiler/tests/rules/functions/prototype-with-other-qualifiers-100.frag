// ES 1.00, 6.1: A definition has the qualifiers of its prototype.
#version 100
precision mediump float;
float f(float a);
float f(out float a) { a = 1.0; return a; } //~ error
void g(inout float a);
void g(out float a) { a = 1.0; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
