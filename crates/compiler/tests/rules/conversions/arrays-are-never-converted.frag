// GLSL 3.30, 4.1.10: Arrays and structures are not converted.
#version 330
out vec4 color;
struct S { float a; };
struct T { int a; };

void main() {
    int a[2] = int[2](1, 2);
    float b[2] = a; //~ error: the initial value is of type `int[2]`; expected `float[2]`
    S s = T(1); //~ error: the initial value is of type `T`; expected `S`
}
