// GLSL 3.30, 5.5: An argument of out does not name a component twice.
#version 330
out vec4 color;
void f(out vec2 a) { a = vec2(1.0); }

void main() {
    vec4 v;
    f(v.xx); //~ error: a component is written to twice here
}
