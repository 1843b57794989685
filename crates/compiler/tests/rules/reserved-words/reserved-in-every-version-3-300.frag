#version 300 es
// ES 3.00, 3.7: Words that are reserved for the future cannot be names.
precision highp float;
out vec4 color;
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
