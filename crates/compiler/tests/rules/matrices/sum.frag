// ES 1.00, 5.11: Sums, differences and quotients of matrices go element by element.
// value: 6 -4 0.2 3
// set m = 1 2 3 4
#version 100
precision mediump float;
uniform mat2 m;

void main() {
    mat2 a = m + 5.0, b = m - 5.0, c = m / 5.0;
    mat2 d = m + m - m;
    gl_FragColor = vec4(a[0][0], b[0][0], c[0][0] * 1.0, d[1][0]);
}
