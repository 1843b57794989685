// GLSL 3.30, 5.6: The numbers of column and row may be computed.
// value: 4 9 1 1
// set n = 1
#version 330
out vec4 color;
uniform int n;

void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    float a = m[n][n];
    m[n][n - 1] = 9.0;
    color = vec4(a, m[1][0], m[n - 1][0], 1.0);
}
