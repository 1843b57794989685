#version 300 es
// ES 3.00, 8.6: determinant and inverse take square matrices.
precision highp float;
out vec4 color;
void main() {
    float a = determinant(mat2x3(1.0)); //~ error: no function `determinant` takes (mat2x3)
    mat2x3 b = inverse(mat2x3(1.0)); //~ error: no function `inverse` takes (mat2x3)
}
