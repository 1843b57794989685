// ES 1.00, 4.1.4: An exponent has at least one digit.
#version 100
precision mediump float;
void main() {
    float a = 1.0e; //~ error: `1.0e` is not a number
    float b = 1e+; //~ error: `1e` is not a number
}
