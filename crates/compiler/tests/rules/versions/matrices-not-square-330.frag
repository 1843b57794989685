// GLSL 3.30, 4.1: Matrices have two to four columns and rows.
// value: 5 0 0 1
#version 330
out vec4 color;
void main() {
    mat2x3 m = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    color = vec4(m[1][1], 0.0, 0.0, 1.0);
}
