// GLSL 3.30, 6.1.1: Arguments are copied in before the body and out after it: a change of the variable itself is
// not seen within, and is overwritten.
// value: 2 1 2 1
// set u = 1
#version 330
out vec4 color;
uniform float u;
float g;
float seen;
void f(inout float a) {
    g = 9.0;
    seen = a;
    a = a + 1.0;
}

void main() {
    g = u;
    f(g);
    color = vec4(g, seen, g, 1.0);
}
