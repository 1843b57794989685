#version 300 es
// ES 3.00, 4.1.7: A structure with a sampler is a uniform or a parameter.
precision highp float;
out vec4 color;
struct Light { sampler2D map; float gain; };

void main() {
    Light light; //~ error
}
