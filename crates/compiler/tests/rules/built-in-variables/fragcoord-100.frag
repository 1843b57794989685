// ES 1.00, 7.2: gl_FragCoord is the place of the point: the middle of its pixel.
// value: 0.5 0.5 0.5 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = gl_FragCoord;
}
