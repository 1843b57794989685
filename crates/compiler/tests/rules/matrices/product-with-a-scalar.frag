// ES 1.00, 5.11: A scalar multiplies every element.
// value: 2 4 6 8
// set m = 1 2 3 4
#version 100
precision mediump float;
uniform mat2 m;

void main() {
    mat2 a = m * 2.0;
    mat2 b = 2.0 * m;
    gl_FragColor = vec4(a[0], b[1]);
}
