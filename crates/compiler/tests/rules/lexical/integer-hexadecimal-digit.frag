#version 300 es
// ES 3.00, 4.1.3: g is no hexadecimal digit.
precision highp float;
out vec4 color;
void main() {
    int a = 0x1g; //~ error: `0x1g` is not a number
}
