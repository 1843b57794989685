// ES 1.00, 7.1: A vertex shader is no fragment shader.
#version 100
attribute vec4 position; //~ error: a fragment shader has no attributes
void main() {
    gl_Position = position; //~ error: there is no variable `gl_Position` here
}
