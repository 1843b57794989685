#version 300 es
// ES 3.00, 4.4: An inout parameter is copied from the argument and back.
// value: 8 0 0 1
// set u = 3
precision highp float;
out vec4 color;
uniform float u;
void f(inout float a) { a += 5.0; }

void main() {
    float a = u;
    f(a);
    color = vec4(a, 0.0, 0.0, 1.0);
}
