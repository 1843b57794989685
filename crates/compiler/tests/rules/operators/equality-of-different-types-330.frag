// GLSL 3.30, 5.9: What is compared has one type.
#version 330
out vec4 color;
struct S { float a; };
struct T { float a; };

void main() {
    bool a = S(1.0) == T(1.0); //~ error: `==` does not take `S` and `T`
    bool b = 1.0 == true; //~ error: `==` does not take `float` and `bool`
    bool c = vec2(1.0) == 1.0; //~ error: `==` does not take `vec2` and `float`
    bool d = mat2(1.0) == mat3(1.0); //~ error: `==` does not take `mat2` and `mat3`
}
