// GLSL 1.10, 8.5: There is no transpose and no outerProduct.
#version 110
void main() {
    mat2 a = transpose(mat2(1.0, 2.0, 3.0, 4.0)); //~ error: GLSL 1.10 has no function `transpose` (it is in GLSL ES 3.00 and later and GLSL 1.20 and later)
    mat2 b = outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0)); //~ error: GLSL 1.10 has no function `outerProduct` (it is in GLSL ES 3.00 and later and GLSL 1.20 and later)
}
