// ES 1.00, 5.9: Arithmetic is not for bools.
#version 100
precision mediump float;
void main() {
    bool a = true;
    bool b = a + a; //~ error: `+` does not take `bool` and `bool`
    bool c = -a; //~ error: `-` takes numbers, not `bool`
    a++; //~ error: `++` takes numbers, not `bool`
    a *= false; //~ error: `*` does not take `bool` and `bool`
    bvec2 d = bvec2(a) - bvec2(b); //~ error: `-` does not take `bvec2` and `bvec2`
}
