// ES 1.00, 8.5: matrixCompMult takes two matrices of one size.
#version 100
precision mediump float;
void main() {
    mat2 a = matrixCompMult(mat2(1.0), mat3(1.0)); //~ error: no function `matrixCompMult` takes (mat2, mat3)
    mat2 b = matrixCompMult(mat2(1.0), 2.0); //~ error: no function `matrixCompMult` takes (mat2, float)
}
