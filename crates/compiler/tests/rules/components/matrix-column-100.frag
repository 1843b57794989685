// ES 1.00, 5.6: m[i] is column i, a vector.
// value: 3 4 1 2
// set m = 1 2 3 4
#version 100
precision mediump float;
uniform mat2 m;

void main() {
    gl_FragColor = vec4(m[1], m[0]);
}
