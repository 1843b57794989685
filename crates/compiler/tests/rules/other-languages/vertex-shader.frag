// GLSL 3.30, 7.1: A vertex shader is no fragment shader.
#version 330
in vec4 position;
void main() {
    gl_Position = position; //~ error: there is no variable `gl_Position` here
}
