// ES 1.00, 5.9: Arithmetic is not for bools.
#version 100
precision mediump float;
void main() {
    bool a = true;
    bool b = a + a; //~ error
    bool c = -a; //~ error
    a++; //~ error
    a *= false; //~ error
    bvec2 d = bvec2(a) - bvec2(b); //~ error
}
