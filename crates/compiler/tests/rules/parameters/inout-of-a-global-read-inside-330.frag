// GLSL 3.30, 6.1.1: The global variable that is the argument keeps its value until the function returns.
// value: 1 5 0 1
// set u = 1
#version 330
out vec4 color;
uniform float u;
float g, seen;
void f(inout float a) {
    a = 5.0;
    seen = g;
}

void main() {
    g = u;
    f(g);
    color = vec4(seen, g, 0.0, 1.0);
}
