#version 300 es
// ES 3.00, 4.1.7: A sampler is an `in` parameter only.
precision highp float;
out vec4 color;
void f(out sampler2D s) {} //~ error
void g(inout sampler2D s) {} //~ error
void h(in sampler2D s) {}

void main() {
    color = vec4(1.0);
}
