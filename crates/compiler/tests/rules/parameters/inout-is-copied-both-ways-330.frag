// GLSL 3.30, 4.4: An inout parameter is copied from the argument and back.
// value: 8 0 0 1
// set u = 3
#version 330
out vec4 color;
uniform float u;
void f(inout float a) { a += 5.0; }

void main() {
    float a = u;
    f(a);
    color = vec4(a, 0.0, 0.0, 1.0);
}
