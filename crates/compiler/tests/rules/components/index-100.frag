// ES 1.00, 5.5: A component may be named by its number.
// value: 1 2 3 4
// set v = 1 2 3 4
#version 100
precision mediump float;
uniform vec4 v;

void main() {
    gl_FragColor = vec4(v[0], v[1], v[2], v[3]);
}
