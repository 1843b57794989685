// GLSL 3.30, 4.4: An argument of out can be written.
#version 330
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
