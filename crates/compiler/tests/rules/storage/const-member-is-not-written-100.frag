// ES 1.00, 4.3.2: The members of a constant are not written.
#version 100
precision mediump float;
struct S { float a; };
const S s = S(1.0);

void main() {
    s.a = 2.0; //~ error: `s` is constant, and cannot be written to
}
