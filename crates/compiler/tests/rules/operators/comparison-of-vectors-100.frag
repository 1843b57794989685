// ES 1.00, 5.9: `<` compares single numbers; for vectors there is `lessThan`.
#version 100
precision mediump float;
void main() {
    vec2 a = vec2(1.0);
    bool b = a < a; //~ error
    bvec2 c = a >= a; //~ error
    bool d = true < false; //~ error
}
