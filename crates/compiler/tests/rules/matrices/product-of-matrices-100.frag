// ES 1.00, 5.11: The product of two matrices is that of linear algebra.
// value: 7 10 15 22
// set m = 1 2 3 4
#version 100
precision mediump float;
uniform mat2 m;

void main() {
    mat2 a = m * m;
    gl_FragColor = vec4(a[0], a[1]);
}
