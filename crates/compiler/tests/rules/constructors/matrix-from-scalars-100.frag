// ES 1.00, 5.4.2: A matrix takes numbers column by column.
// value: 1 2 3 4
#version 100
precision mediump float;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    gl_FragColor = vec4(m[0][0], m[0][1], m[1][0], m[1][1]);
}
