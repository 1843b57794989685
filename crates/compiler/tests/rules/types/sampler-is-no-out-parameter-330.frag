// GLSL 3.30, 4.1.7: A sampler is an `in` parameter only.
#version 330
out vec4 color;
void f(out sampler2D s) {} //~ error: a sampler is only an `in` parameter
void g(inout sampler2D s) {} //~ error: a sampler is only an `in` parameter
void h(in sampler2D s) {}

void main() {
    color = vec4(1.0);
}
