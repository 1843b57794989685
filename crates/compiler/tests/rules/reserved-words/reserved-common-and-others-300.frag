#version 300 es
// ES 3.00, 3.7: Words that are reserved for the future cannot be names.
precision highp float;
out vec4 color;
void main() {
    float common = 1.0; //~ error
    float partition = 1.0; //~ error
    float active = 1.0; //~ error
    float filter = 1.0; //~ error
}
