#version 300 es
// ES 3.00, 9: `?:` takes expressions, not statements.
precision highp float;
out vec4 color;
void main() {
    true ? return : discard; //~ error: expected an expression, found `return`
}
