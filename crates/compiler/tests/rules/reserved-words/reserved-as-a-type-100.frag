// ES 1.00, 3.7: Words that are reserved are no types.
#version 100
precision mediump float;
void main() {
    half a = 1.0; //~ error: there is no type `half`
    unsigned int b = 1; //~ error: the type `int` cannot be a name
    long c = 1; //~ error: there is no type `long`
}
