#version 300 es
// ES 3.00, 4.4: An argument of out can be written.
precision highp float;
out vec4 color;
void f(out float a) { a = 1.0; }
uniform float u;
in float v;

void main() {
    float a;
    f(1.0); //~ error: this is a value; the parameter of `f` needs a variable, or a part of one
    f(a + 1.0); //~ error: this is a value; the parameter of `f` needs a variable, or a part of one
    f(-a); //~ error: this is a value; the parameter of `f` needs a variable, or a part of one
    f(u); //~ error: `u` is a uniform, and cannot be written to
    f(v); //~ error: `v` is an input of the shader, and cannot be written to
    f(a++); //~ error: this is a value; the parameter of `f` needs a variable, or a part of one
    f(float(a)); //~ error: this is a value; the parameter of `f` needs a variable, or a part of one
}
