// ES 1.00, 5.10: Columns and elements of constant matrices are constants.
// value: 3 4 2 1
#version 100
precision mediump float;
const mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
const vec2 c = m[1];
const float e = m[0][1];

void main() {
    gl_FragColor = vec4(c, e, 1.0);
}
