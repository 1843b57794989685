#version 300 es
// ES 3.00, 5.1: `and`, `or` and `**` are no operators.
precision highp float;
out vec4 color;
void main() {
    bool a = true and false; //~ error: expected `;` after a declaration, found `and`
    float b = 2.0 ** 3.0; //~ error: expected an expression, found `*`
}
