// ES 1.00, 6.1: Functions are declared outside of functions.
#version 100
precision mediump float;
void main() {
    float f(float a); //~ error
}
