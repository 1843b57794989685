// ES 1.00, 4.4: A parameter is one of in, out and inout.
#version 100
precision mediump float;
void f(in out float a) { a = 1.0; } //~ error
void g(in in float a) {} //~ error
void h(out inout float a) { a = 1.0; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
