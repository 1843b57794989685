// GLSL 3.30, 7.3: The built-in constants are constant.
#version 330
out vec4 color;
void main() {
    gl_MaxDrawBuffers = 3; //~ error: this is a value; `=` needs a variable, or a part of one
}
