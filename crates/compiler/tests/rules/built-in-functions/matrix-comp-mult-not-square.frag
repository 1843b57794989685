// GLSL 3.30, 8.5: matrixCompMult takes matrices of any size.
// value: 4 10 18 1
#version 330
out vec4 color;
void main() {
    mat2x3 m = matrixCompMult(mat2x3(1.0), mat2x3(1.0));
    m = matrixCompMult(mat2x3(0.0, 0.0, 0.0, 1.0, 2.0, 3.0), mat2x3(0.0, 0.0, 0.0, 4.0, 5.0, 6.0));
    color = vec4(m[1], 1.0);
}
