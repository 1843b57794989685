// GLSL 1.20, 4.1.10: What an out parameter gives is not converted from float to int.
#version 120
void f(out float a) { a = 3.0; }

void main() {
    int a;
    f(a); //~ error
}
