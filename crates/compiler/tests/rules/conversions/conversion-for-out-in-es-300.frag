#version 300 es
// ES 3.00, 6.1: An argument of out has the parameter's type.
precision highp float;
out vec4 color;
void f(out int a) { a = 3; }

void main() {
    float a;
    f(a); //~ error
}
