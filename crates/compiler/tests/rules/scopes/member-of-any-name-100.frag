// ES 1.00, 4.1.8: Members may be called like variables, functions and types.
// value: 1 2 3 4
#version 100
precision mediump float;
struct A { float a; };
float f() { return 1.0; }
struct S { float f; float A; float sin; float S; };

void main() {
    S s = S(1.0, 2.0, 3.0, 4.0);
    gl_FragColor = vec4(s.f, s.A, s.sin, s.S);
}
