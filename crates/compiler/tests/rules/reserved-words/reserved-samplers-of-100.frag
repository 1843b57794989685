// ES 1.00, 3.7: The samplers of other versions are reserved.
#version 100
precision mediump float;
void main() {
    float sampler1D = 1.0; //~ error
    float sampler3D = 1.0; //~ error
    float sampler1DShadow = 1.0; //~ error
    float sampler2DShadow = 1.0; //~ error
    float sampler2DRect = 1.0; //~ error
    float sampler2DRectShadow = 1.0; //~ error
}
