// ES 1.00, 5.4.2: A matrix converts every number that it takes.
// value: 1 2 0 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    mat2 m = mat2(b, 2, !b, 1.0);
    gl_FragColor = vec4(m[0], m[1]);
}
