// ES 1.00, 6.1: An argument of out has the parameter's type.
#version 100
precision mediump float;
void f(out int a) { a = 3; }

void main() {
    float a;
    f(a); //~ error: no function `f` takes (float)
}
