#version 300 es
// ES 3.00, 3.7: The samplers of other versions are reserved.
precision highp float;
out vec4 color;
void main() {
    float sampler1D = 1.0; //~ error: `sampler1D` is a reserved word of GLSL ES 3.00, it cannot be a name
    float sampler2DRect = 1.0; //~ error: `sampler2DRect` is a reserved word of GLSL ES 3.00, it cannot be a name
    float samplerBuffer = 1.0; //~ error: `samplerBuffer` is a reserved word of GLSL ES 3.00, it cannot be a name
    float sampler2DMS = 1.0; //~ error: `sampler2DMS` is a reserved word of GLSL ES 3.00, it cannot be a name
    float isampler1DArray = 1.0; //~ error: `isampler1DArray` is a reserved word of GLSL ES 3.00, it cannot be a name
}
