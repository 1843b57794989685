// ES 1.00, 7.2: gl_FrontFacing is a bool.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(gl_FrontFacing ? 1.0 : 2.0, 0.0, 0.0, 1.0);
}
