// ES 1.00, 5.5: A short vector may give a longer one.
// value: 1 2 1 2
// set v = 1 2
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    gl_FragColor = v.xyxy;
}
