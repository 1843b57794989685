// ES 1.00, 5.10: Products of constant matrices and vectors are constants.
// value: 7 10 0 1
#version 100
precision mediump float;
const mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
const vec2 v = m * vec2(1.0, 2.0);

void main() {
    gl_FragColor = vec4(v, 0.0, 1.0);
}
