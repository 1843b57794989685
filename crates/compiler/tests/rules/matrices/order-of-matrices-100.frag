// ES 1.00, 5.9: Matrices have no order and no remainder.
#version 100
precision mediump float;
void main() {
    mat2 a = mat2(1.0);
    bool b = a < a; //~ error: `<` does not take `mat2` and `mat2`
    mat2 d = !a; //~ error: `!` takes a `bool`, not `mat2`
}
