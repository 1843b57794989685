// GLSL 1.10, 3.6: Words that are reserved for the future cannot be names.
#version 110
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
