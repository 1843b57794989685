// GLSL 3.30, 5.9: The product of two matrices is that of linear algebra.
// value: 7 10 15 22
// set m = 1 2 3 4
#version 330
out vec4 color;
uniform mat2 m;

void main() {
    mat2 a = m * m;
    color = vec4(a[0], a[1]);
}
