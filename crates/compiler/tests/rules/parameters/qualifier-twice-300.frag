#version 300 es
// ES 3.00, 4.4: A parameter is one of in, out and inout.
precision highp float;
out vec4 color;
void f(in out float a) { a = 1.0; } //~ error: `in` and `out` cannot be combined
void g(in in float a) {} //~ error: `in` is repeated
void h(out inout float a) { a = 1.0; } //~ error: `out` and `inout` cannot be combined

void main() {
    color = vec4(1.0);
}
