#version 300 es
// ES 3.00, 8.7: `not` is a function, not an operator.
precision highp float;
out vec4 color;
void main() {
    bool a = not true; //~ error: expected `;` after a declaration, found `true`
    bool b = true and false; //~ error: expected `;` after a declaration, found `and`
}
