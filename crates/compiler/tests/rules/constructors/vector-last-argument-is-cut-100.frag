// ES 1.00, 5.4.2: Of the last argument the components that are left over are dropped.
// value: 9 1 2 3
// set v = 1 2 3 4
#version 100
precision mediump float;
uniform vec4 v;

void main() {
    gl_FragColor = vec4(9.0, v);
}
