// ES 1.00, 5.9: Arithmetic and order are not for structures.
#version 100
precision mediump float;
struct S { float a; };

void main() {
    S s = S(1.0), t = S(2.0);
    S u = s + t; //~ error: `+` does not take `S` and `S`
    bool b = s < t; //~ error: `<` does not take `S` and `S`
    s += t; //~ error: `+` does not take `S` and `S`
    S v = -s; //~ error: `-` takes numbers, not `S`
}
