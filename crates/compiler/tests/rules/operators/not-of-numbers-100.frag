// ES 1.00, 5.9: `!` is for bool.
#version 100
precision mediump float;
void main() {
    bool a = !1; //~ error
    bool b = !1.0; //~ error
    bvec2 c = !bvec2(true); //~ error
}
