#version 300 es
// ES 3.00, 4.1.3: 8 and 9 are no octal digits.
precision highp float;
out vec4 color;
void main() {
    int a = 08; //~ error
    int b = 0129; //~ error
}
