// ES 1.00, 5.4.2: A matrix is not made from a matrix.
#version 100
precision mediump float;
void main() {
    mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
    mat2 a = mat2(m); //~ error: GLSL ES 1.00 makes no matrix of a matrix
    mat4 b = mat4(a); //~ error: GLSL ES 1.00 makes no matrix of a matrix
}
