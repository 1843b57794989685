// ES 1.00, 4.2.6: A local variable hides a structure, which then declares nothing.
#version 100
precision mediump float;
struct S { float a; };

void main() {
    int S = 3;
    S s; //~ error: `S` is a variable here, not a type
}
