// ES 1.00, 5.9: `&&`, `||` and `^^` are for bool.
#version 100
precision mediump float;
void main() {
    bool a = 1 && 2; //~ error
    bool b = 1.0 || true; //~ error
    bool c = bvec2(true) && bvec2(true); //~ error
    bool d = true ^^ 1; //~ error
}
