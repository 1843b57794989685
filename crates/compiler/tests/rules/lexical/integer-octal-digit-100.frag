// ES 1.00, 4.1.3: 8 and 9 are no octal digits.
#version 100
precision mediump float;
void main() {
    int a = 08; //~ error: `08` begins with 0, so it is octal, and `8` is not an octal digit
    int b = 0129; //~ error: `0129` begins with 0, so it is octal, and `9` is not an octal digit
}
