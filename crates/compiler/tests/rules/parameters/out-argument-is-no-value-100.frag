// ES 1.00, 4.4: An argument of out can be written.
#version 100
precision mediump float;
void f(out float a) { a = 1.0; }
uniform float u;
varying float v;

void main() {
    float a;
    f(1.0); //~ error
    f(a + 1.0); //~ error
    f(-a); //~ error
    f(u); //~ error
    f(v); //~ error
    f(a++); //~ error
    f(float(a)); //~ error
}
