// GLSL 1.20, 4.1.6: matCxR has C columns of R rows; one number means both.
// value: 23 24 32 34
#version 120
void main() {
    mat2x3 a = mat2x3(11.0, 12.0, 13.0, 21.0, 22.0, 23.0);
    mat2x4 b = mat2x4(11.0, 12.0, 13.0, 14.0, 21.0, 22.0, 23.0, 24.0);
    mat3x2 c = mat3x2(11.0, 12.0, 21.0, 22.0, 31.0, 32.0);
    mat3x4 d = mat3x4(11.0, 12.0, 13.0, 14.0, 21.0, 22.0, 23.0, 24.0, 31.0, 32.0, 33.0, 34.0);
    gl_FragColor = vec4(a[1][2], b[1][3], c[2][1], d[2][3]);
}
