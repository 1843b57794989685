// ES 1.00, 7.4: The built-in constants are constant.
#version 100
precision mediump float;
void main() {
    gl_MaxDrawBuffers = 3; //~ error: this is a value; `=` needs a variable, or a part of one
}
