// ES 1.00, 5.9: What is compared has one type.
#version 100
precision mediump float;
struct S { float a; };
struct T { float a; };

void main() {
    bool a = S(1.0) == T(1.0); //~ error: `==` does not take `S` and `T`
    bool b = 1.0 == true; //~ error: `==` does not take `float` and `bool`
    bool c = vec2(1.0) == 1.0; //~ error: `==` does not take `vec2` and `float`
    bool d = mat2(1.0) == mat3(1.0); //~ error: `==` does not take `mat2` and `mat3`
}
