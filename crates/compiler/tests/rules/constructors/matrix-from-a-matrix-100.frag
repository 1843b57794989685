// ES 1.00, 5.4.2: A matrix from another takes what both have; the rest is that of the unit matrix. (The text of
// the language says nothing; the conformance tests ask for it.)
// value: 1 5 0 1
#version 100
precision mediump float;
void main() {
    mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
    mat2 a = mat2(m);
    mat4 b = mat4(a);
    gl_FragColor = vec4(b[0][0], b[1][1], b[3][1], b[3][3]);
}
