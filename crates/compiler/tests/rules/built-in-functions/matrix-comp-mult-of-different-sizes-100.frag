// ES 1.00, 8.5: matrixCompMult takes two matrices of one size.
#version 100
precision mediump float;
void main() {
    mat2 a = matrixCompMult(mat2(1.0), mat3(1.0)); //~ error
    mat2 b = matrixCompMult(mat2(1.0), 2.0); //~ error
}
