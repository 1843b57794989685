// ES 1.00, 5.5: Several components form a vector, in any order, also twice.
// value: 4 3 1 1
// set v = 1 2 3 4
#version 100
precision mediump float;
uniform vec4 v;

void main() {
    gl_FragColor = vec4(v.wz, v.xx);
}
