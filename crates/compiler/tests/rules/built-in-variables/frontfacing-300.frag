#version 300 es
// ES 3.00, 7.2: gl_FrontFacing is a bool.
// value: 1 0 0 1
precision highp float;
out vec4 color;
void main() {
    color = vec4(gl_FrontFacing ? 1.0 : 2.0, 0.0, 0.0, 1.0);
}
