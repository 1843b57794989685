// ES 1.00, 4.1: Matrices are square.
#version 100
precision mediump float;
void main() {
    mat2x3 m = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); //~ error: GLSL ES 1.00 has no type `mat2x3`
}
