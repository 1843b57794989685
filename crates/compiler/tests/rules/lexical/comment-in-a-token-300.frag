#version 300 es
// ES 3.00, 3.5: A comment counts as one space, so it cannot be within a name or an operator.
precision highp float;
out vec4 color;
void main() {
    fl/**/oat a = 1.0; //~ error: expected `;` after a declaration, found `a`
    color = vec4(1.0);
}
