// ES 1.00, 4.1.9: The elements may be vectors and matrices, with all of their parts.
// value: 2 3 5 1
#version 100
precision mediump float;
void main() {
    vec2 a[2];
    mat2 m[2];
    a[1] = vec2(1.0, 2.0);
    m[1] = mat2(1.0, 3.0, 4.0, 5.0);
    gl_FragColor = vec4(a[1].y, m[1][0][1], m[1][1].y, 1.0);
}
