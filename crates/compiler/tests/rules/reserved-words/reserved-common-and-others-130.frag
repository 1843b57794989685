// GLSL 1.30, 3.6: Words that are reserved for the future cannot be names.
#version 130
out vec4 color;
void main() {
    float common = 1.0; //~ error
    float partition = 1.0; //~ error
    float active = 1.0; //~ error
    float filter = 1.0; //~ error
}
