// ES 1.00, 5.4.1: There are no casts: a type stands before the parentheses.
#version 100
precision mediump float;
void main() {
    float a = (float)1; //~ error
    int b = (int) 2.5; //~ error
}
