// ES 1.00, 5.9: `!` is for bool.
#version 100
precision mediump float;
void main() {
    bool a = !1; //~ error: `!` takes a `bool`, not `int`
    bool b = !1.0; //~ error: `!` takes a `bool`, not `float`
    bvec2 c = !bvec2(true); //~ error: `!` takes a `bool`, not `bvec2`
}
