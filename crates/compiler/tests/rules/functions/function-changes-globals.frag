// GLSL 3.30, 6.1: A call may change global variables while an expression is computed.
// value: 1 5 6 1
#version 330
out vec4 color;
float g = 1.0;
float f() { g = 5.0; return g; }

void main() {
    float a = g;
    float b = f();
    color = vec4(a, g, a + b, 1.0);
}
