// GLSL 3.30, 5.1: These are no operators.
#version 330
out vec4 color;
void main() {
    float a = 1.0 ** 2.0; //~ error: expected an expression, found `*`
    bool b = a === 1.0; //~ error: expected an expression, found `=`
    bool c = a <> 1.0; //~ error: expected an expression, found `>`
}
