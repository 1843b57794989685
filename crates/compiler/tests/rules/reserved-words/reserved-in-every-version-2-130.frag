// GLSL 1.30, 3.6: Words that are reserved for the future cannot be names.
#version 130
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
