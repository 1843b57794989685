// ES 1.00, 6.1: Functions of one name differ by structures.
// value: 1 2 0 1
#version 100
precision mediump float;
struct A { float x; };
struct B { float x; };
float f(A a) { return a.x; }
float f(B b) { return b.x + 1.0; }

void main() {
    gl_FragColor = vec4(f(A(1.0)), f(B(1.0)), 0.0, 1.0);
}
