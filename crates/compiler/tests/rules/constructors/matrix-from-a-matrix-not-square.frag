// GLSL 3.30, 5.4.2: A matrix from another of any size takes what both have; the rest is that of the unit matrix.
// value: 1 5 1 0
#version 330
out vec4 color;
void main() {
    mat2x3 m = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    mat3 a = mat3(m);
    mat4x2 b = mat4x2(m);
    color = vec4(a[0][0], b[1][1], a[2][2], b[2][0]);
}
