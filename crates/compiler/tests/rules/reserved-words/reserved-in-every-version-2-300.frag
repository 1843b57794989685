#version 300 es
// ES 3.00, 3.7: Words that are reserved for the future cannot be names.
precision highp float;
out vec4 color;
void main() {
    float inline = 1.0; //~ error
    float noinline = 1.0; //~ error
    float volatile = 1.0; //~ error
    float public = 1.0; //~ error
    float static = 1.0; //~ error
    float extern = 1.0; //~ error
    float external = 1.0; //~ error
    float interface = 1.0; //~ error
}
