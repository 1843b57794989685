// ES 1.00, 3.8: A name does not begin with a digit.
#version 100
precision mediump float;
void main() {
    float 1a = 1.0; //~ error: expected the name of a variable, found `1a`
}
