// ES 1.00, 3.7: The samplers of other versions are reserved.
#version 100
precision mediump float;
void main() {
    float sampler1D = 1.0; //~ error: `sampler1D` is a reserved word of GLSL ES 1.00, it cannot be a name
    float sampler3D = 1.0; //~ error: `sampler3D` is a reserved word of GLSL ES 1.00, it cannot be a name
    float sampler1DShadow = 1.0; //~ error: `sampler1DShadow` is a reserved word of GLSL ES 1.00, it cannot be a name
    float sampler2DShadow = 1.0; //~ error: `sampler2DShadow` is a reserved word of GLSL ES 1.00, it cannot be a name
    float sampler2DRect = 1.0; //~ error: `sampler2DRect` is a reserved word of GLSL ES 1.00, it cannot be a name
    float sampler2DRectShadow = 1.0; //~ error: `sampler2DRectShadow` is a reserved word of GLSL ES 1.00, it cannot be a name
}
