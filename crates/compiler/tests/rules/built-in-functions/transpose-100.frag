// ES 1.00, 8.5: There is no transpose and no outerProduct.
#version 100
precision mediump float;
void main() {
    mat2 a = transpose(mat2(1.0, 2.0, 3.0, 4.0)); //~ error: GLSL ES 1.00 has no function `transpose` (it is in GLSL ES 3.00 and later and GLSL 1.20 and later)
    mat2 b = outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0)); //~ error: GLSL ES 1.00 has no function `outerProduct` (it is in GLSL ES 3.00 and later and GLSL 1.20 and later)
}
