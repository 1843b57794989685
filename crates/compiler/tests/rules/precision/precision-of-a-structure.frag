// ES 1.00, 4.5.2: A structure has no precision, only its members.
#version 100
precision mediump float;
struct S { float a; };

void main() {
    mediump S s = S(1.0); //~ error: `S` has no precision
}
