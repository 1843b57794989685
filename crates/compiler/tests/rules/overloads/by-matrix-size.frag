// GLSL 3.30, 6.1: Functions of one name differ by the sizes of matrices.
// value: 1 2 3 1
#version 330
out vec4 color;
float f(mat2 a) { return 1.0; }
float f(mat2x3 a) { return 2.0; }
float f(mat3x2 a) { return 3.0; }

void main() {
    color = vec4(f(mat2(1.0)), f(mat2x3(1.0)), f(mat3x2(1.0)), 1.0);
}
