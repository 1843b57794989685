// ES 1.00, 4.1.3: 8 and 9 are no octal digits.
#version 100
precision mediump float;
void main() {
    int a = 08; //~ error
    int b = 0129; //~ error
}
