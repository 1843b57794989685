// GLSL 3.30, 4.1.7: A structure with a sampler is a uniform or a parameter.
#version 330
out vec4 color;
struct Light { sampler2D map; float gain; };

void main() {
    Light light; //~ error: the sampler `light` cannot be a variable of a function
}
