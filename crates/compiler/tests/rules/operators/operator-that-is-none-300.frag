#version 300 es
// ES 3.00, 5.1: These are no operators.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0 ** 2.0; //~ error: expected an expression, found `*`
    bool b = a === 1.0; //~ error: expected an expression, found `=`
    bool c = a <> 1.0; //~ error: expected an expression, found `>`
}
