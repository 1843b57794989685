// ES 1.00, 7.1: A vertex shader is no fragment shader.
#version 100
attribute vec4 position; //~ error
void main() {
    gl_Position = position; //~ error
}
