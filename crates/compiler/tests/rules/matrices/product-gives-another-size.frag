// GLSL 3.30, 5.9: The product has the rows of the left matrix and the columns of the right one.
#version 330
out vec4 color;
void main() {
    mat2x3 a = mat2x3(1.0);
    mat3x2 b = mat3x2(1.0);
    mat2 c = a * b; //~ error: the initial value is of type `mat3`; expected `mat2`
    mat3 d = a * b;
    vec3 e = a * vec3(1.0); //~ error: `*` does not take `mat2x3` and `vec3`
    a *= b; //~ error: `*=` makes `mat3` of `mat2x3` and `mat3x2`; expected `mat2x3`
}
