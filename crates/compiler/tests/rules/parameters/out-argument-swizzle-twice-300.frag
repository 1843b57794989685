#version 300 es
// ES 3.00, 5.5: An argument of out does not name a component twice.
precision highp float;
out vec4 color;
void f(out vec2 a) { a = vec2(1.0); }

void main() {
    vec4 v;
    f(v.xx); //~ error
}
