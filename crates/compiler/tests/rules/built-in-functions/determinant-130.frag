// GLSL 1.30, 8.5: There is no determinant and no inverse.
#version 130
out vec4 color;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    float a = determinant(m); //~ error: GLSL 1.30 has no function `determinant` (it is in GLSL ES 3.00 and later and GLSL 1.50 and later)
    mat2 b = inverse(mat2(0.25, 0.0, 0.0, -1.0)); //~ error: GLSL 1.30 has no function `inverse` (it is in GLSL ES 3.00 and later and GLSL 1.40 and later)
}
