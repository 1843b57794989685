#version 300 es
// ES 3.00, 4.4: An argument of out can be written.
precision highp float;
out vec4 color;
void f(out float a) { a = 1.0; }
uniform float u;
in float v;

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
