#version 300 es
// ES 3.00, 5.8: `?:` gives a value, which is not written.
precision highp float;
out vec4 color;
void f(out float a) { a = 1.0; }

void main() {
    float a, b;
    f(true ? a : b); //~ error: this is a value; the parameter of `f` needs a variable, or a part of one
}
