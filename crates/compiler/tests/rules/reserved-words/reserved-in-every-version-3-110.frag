// GLSL 1.10, 3.6: Words that are reserved for the future cannot be names.
#version 110
void main() {
    float long = 1.0; //~ error
    float short = 1.0; //~ error
    float half = 1.0; //~ error
    float fixed = 1.0; //~ error
    float unsigned = 1.0; //~ error
    float input = 1.0; //~ error
    float output = 1.0; //~ error
    float sizeof = 1.0; //~ error
}
