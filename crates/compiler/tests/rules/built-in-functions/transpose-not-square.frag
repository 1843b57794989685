// GLSL 3.30, 8.5: transpose of a mat2x3 is a mat3x2.
// value: 3 6 6 1
#version 330
out vec4 color;
void main() {
    mat3x2 a = transpose(mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0));
    mat3x2 b = outerProduct(vec2(1.0, 2.0), vec3(1.0, 2.0, 3.0));
    color = vec4(a[2], b[2][1], 1.0);
}
