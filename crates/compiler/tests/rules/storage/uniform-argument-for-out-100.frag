// ES 1.00, 4.3.4: A uniform is no argument of an out parameter.
#version 100
precision mediump float;
void f(out float a) { a = 1.0; }
uniform float u;
uniform vec2 v;

void main() {
    f(u); //~ error: `u` is a uniform, and cannot be written to
    f(v.y); //~ error: `v` is a uniform, and cannot be written to
}
