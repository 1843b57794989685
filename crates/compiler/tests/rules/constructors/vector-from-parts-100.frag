// ES 1.00, 5.4.2: A vector takes the components of its arguments one after the other.
// value: 1 2 3 4
// set v = 2 3
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    gl_FragColor = vec4(1.0, v, 4.0);
}
