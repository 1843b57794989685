// GLSL 3.30, 4.4: An inout argument is read.
#version 330
out vec4 color;
void f(inout float a) { a += 1.0; }

void main() {
    float a;
    f(a); //~ warning: `a` is read before a value is written to it; it is declared on line 7: give it a value there
    color = vec4(a, 0.0, 0.0, 1.0);
}
