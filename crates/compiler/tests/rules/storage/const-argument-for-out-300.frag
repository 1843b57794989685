#version 300 es
// ES 3.00, 4.3.2: A constant is no argument of an out parameter.
precision highp float;
out vec4 color;
void f(out float a) { a = 1.0; }
void g(inout float a) { a += 1.0; }
const float c = 1.0;

void main() {
    f(c); //~ error
    g(c); //~ error
}
