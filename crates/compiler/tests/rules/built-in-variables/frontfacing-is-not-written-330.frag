// GLSL 3.30, 7.2: gl_FrontFacing is not written, and is no number.
#version 330
out vec4 color;
void main() {
    gl_FrontFacing = true; //~ error: `gl_FrontFacing` is an input of the shader, and cannot be written to
    float a = gl_FrontFacing; //~ error: the initial value is of type `bool`; expected `float`
}
