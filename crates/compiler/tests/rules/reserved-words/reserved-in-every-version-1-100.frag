// ES 1.00, 3.7: Words that are reserved for the future cannot be names.
#version 100
precision mediump float;
void main() {
    float asm = 1.0; //~ error
    float class = 1.0; //~ error
    float union = 1.0; //~ error
    float enum = 1.0; //~ error
    float typedef = 1.0; //~ error
    float template = 1.0; //~ error
    float this = 1.0; //~ error
    float goto = 1.0; //~ error
}
