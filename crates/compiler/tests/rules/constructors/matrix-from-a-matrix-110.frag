// GLSL 1.10, 5.4.2: A matrix is not made from a matrix.
#version 110
void main() {
    mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
    mat2 a = mat2(m); //~ error: `mat2` is not made of (mat3)
    mat4 b = mat4(a); //~ error: `mat4` is not made of (mat2)
}
