// ES 1.00, 7.2: gl_PointCoord is not written.
#version 100
precision mediump float;
void main() {
    gl_PointCoord = vec2(1.0); //~ error: `gl_PointCoord` is an input of the shader, and cannot be written to
}
