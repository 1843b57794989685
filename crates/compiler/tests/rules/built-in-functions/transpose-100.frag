// ES 1.00, 8.5: There is no transpose and no outerProduct.
#version 100
precision mediump float;
void main() {
    mat2 a = transpose(mat2(1.0, 2.0, 3.0, 4.0)); //~ error
    mat2 b = outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0)); //~ error
}
