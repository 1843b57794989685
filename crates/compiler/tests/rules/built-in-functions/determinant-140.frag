// GLSL 1.40, 8.5: There is an inverse, and no determinant.
#version 140
out vec4 color;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    float a = determinant(m); //~ error: GLSL 1.40 has no function `determinant` (it is in GLSL ES 3.00 and later and GLSL 1.50 and later)
    mat2 b = inverse(mat2(0.25, 0.0, 0.0, -1.0));
}
