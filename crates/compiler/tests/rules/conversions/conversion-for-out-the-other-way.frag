// GLSL 3.30, 4.1.10: What an out parameter gives is not converted from float to int.
#version 330
out vec4 color;
void f(out float a) { a = 3.0; }

void main() {
    int a;
    f(a); //~ error: no function `f` takes (int)
}
