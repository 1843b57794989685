// GLSL 3.30, 8.5: determinant and inverse take square matrices.
// value: -2 4 2 -1
#version 330
out vec4 color;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    float a = determinant(m);
    mat2 b = inverse(mat2(0.25, 0.0, 0.0, -1.0));
    color = vec4(a, b[0][0], determinant(mat3(1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0)), b[1][1]);
}
