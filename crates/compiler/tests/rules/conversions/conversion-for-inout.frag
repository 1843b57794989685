// GLSL 3.30, 4.1.10: An inout argument would be converted both ways, which no type is.
#version 330
out vec4 color;
void f(inout float a) { a += 3.0; }

void main() {
    int a = 1;
    f(a); //~ error: no function `f` takes (int)
}
