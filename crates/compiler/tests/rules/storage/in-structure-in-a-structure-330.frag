// GLSL 3.30, 4.3.4: An input's structure may have structures and arrays.
// value: 1 0 0 1
#version 330
out vec4 color;
struct T { float a; };
struct S { T t; };
struct A { float a[2]; };
in S s;
in A b;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
