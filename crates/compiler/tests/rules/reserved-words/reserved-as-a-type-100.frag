// ES 1.00, 3.7: Words that are reserved are no types.
#version 100
precision mediump float;
void main() {
    half a = 1.0; //~ error
    unsigned int b = 1; //~ error
    long c = 1; //~ error
}
