// GLSL 1.20, 5.4.2: A matrix from another takes what both have; the rest is that of the unit matrix.
// value: 1 5 0 1
#version 120
void main() {
    mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
    mat2 a = mat2(m);
    mat4 b = mat4(a);
    gl_FragColor = vec4(b[0][0], b[1][1], b[3][1], b[3][3]);
}
