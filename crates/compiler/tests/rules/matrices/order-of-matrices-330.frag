// GLSL 3.30, 5.9: Matrices have no order and no remainder.
#version 330
out vec4 color;
void main() {
    mat2 a = mat2(1.0);
    bool b = a < a; //~ error: `<` does not take `mat2` and `mat2`
    mat2 c = a % a; //~ error: `%` takes integers, not `mat2` and `mat2`
    mat2 d = !a; //~ error: `!` takes a `bool`, not `mat2`
}
