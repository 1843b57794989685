// ES 1.00, 4.1.7: A sampler is an `in` parameter only.
#version 100
precision mediump float;
void f(out sampler2D s) {} //~ error: a sampler is only an `in` parameter
void g(inout sampler2D s) {} //~ error: a sampler is only an `in` parameter
void h(in sampler2D s) {}

void main() {
    gl_FragColor = vec4(1.0);
}
