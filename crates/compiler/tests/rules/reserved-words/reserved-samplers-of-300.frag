#version 300 es
// ES 3.00, 3.7: The samplers of other versions are reserved.
precision highp float;
out vec4 color;
void main() {
    float sampler1D = 1.0; //~ error
    float sampler2DRect = 1.0; //~ error
    float samplerBuffer = 1.0; //~ error
    float sampler2DMS = 1.0; //~ error
    float isampler1DArray = 1.0; //~ error
}
