// ES 1.00, 5.9: `<` compares single numbers; for vectors there is `lessThan`.
#version 100
precision mediump float;
void main() {
    vec2 a = vec2(1.0);
    bool b = a < a; //~ error: `<` compares two numbers, not `vec2` and `vec2`
    bvec2 c = a >= a; //~ error: `>=` compares two numbers, not `vec2` and `vec2`
    bool d = true < false; //~ error: `<` does not take `bool` and `bool`
}
