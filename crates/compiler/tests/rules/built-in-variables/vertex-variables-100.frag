// ES 1.00, 7.1: These variables belong to vertex shaders.
#version 100
precision mediump float;
void main() {
    gl_Position = vec4(1.0); //~ error: there is no variable `gl_Position` here
    gl_PointSize = 1.0; //~ error: there is no variable `gl_PointSize` here
}
