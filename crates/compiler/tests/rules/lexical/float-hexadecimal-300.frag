#version 300 es
// ES 3.00, 4.1.4: There are no hexadecimal floats.
precision highp float;
out vec4 color;
void main() {
    float a = 0x1.8; //~ error: expected `;` after a declaration, found `.8`
}
