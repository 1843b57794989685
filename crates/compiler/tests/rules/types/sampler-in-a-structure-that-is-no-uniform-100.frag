// ES 1.00, 4.1.7: A structure with a sampler is a uniform or a parameter.
#version 100
precision mediump float;
struct Light { sampler2D map; float gain; };

void main() {
    Light light; //~ error: the sampler `light` cannot be a variable of a function
}
