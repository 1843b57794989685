// GLSL 3.30, 4.1.8: Members may be called like variables, functions and types.
// value: 1 2 3 4
#version 330
out vec4 color;
struct A { float a; };
float f() { return 1.0; }
struct S { float f; float A; float sin; float S; };

void main() {
    S s = S(1.0, 2.0, 3.0, 4.0);
    color = vec4(s.f, s.A, s.sin, s.S);
}
