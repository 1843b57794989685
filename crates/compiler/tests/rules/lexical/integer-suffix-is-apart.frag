#version 300 es
// ES 3.00, 4.1.3: No white space is allowed between the digits and the suffix.
precision highp float;
out vec4 color;
void main() {
    uint a = 1 u; //~ error: expected `;` after a declaration, found `u`
}
