// GLSL 3.30, 4.3.2: A constant is no argument of an out parameter.
#version 330
out vec4 color;
void f(out float a) { a = 1.0; }
void g(inout float a) { a += 1.0; }
const float c = 1.0;

void main() {
    f(c); //~ error: `c` is constant, and cannot be written to
    g(c); //~ error: `c` is constant, and cannot be written to
}
