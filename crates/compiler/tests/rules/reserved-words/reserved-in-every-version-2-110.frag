// GLSL 1.10, 3.6: Words that are reserved for the future cannot be names.
#version 110
void main() {
    float inline = 1.0; //~ error: `inline` is a reserved word of GLSL 1.10, it cannot be a name
    float noinline = 1.0; //~ error: `noinline` is a reserved word of GLSL 1.10, it cannot be a name
    float volatile = 1.0; //~ error: `volatile` is a reserved word of GLSL 1.10, it cannot be a name
    float public = 1.0; //~ error: `public` is a reserved word of GLSL 1.10, it cannot be a name
    float static = 1.0; //~ error: `static` is a reserved word of GLSL 1.10, it cannot be a name
    float extern = 1.0; //~ error: `extern` is a reserved word of GLSL 1.10, it cannot be a name
    float external = 1.0; //~ error: `external` is a reserved word of GLSL 1.10, it cannot be a name
    float interface = 1.0; //~ error: `interface` is a reserved word of GLSL 1.10, it cannot be a name
}
