// ES 1.00, 4.2.6: A structure counts until its block ends.
#version 100
precision mediump float;
void main() {
    {
        struct S { float a; };
        S s = S(1.0);
    }
    S t; //~ error: there is no type `S`
}
