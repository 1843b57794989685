// ES 1.00, 4.1.3: 0x needs a digit.
#version 100
precision mediump float;
void main() {
    int a = 0x; //~ error: `0x` has no digits
}
