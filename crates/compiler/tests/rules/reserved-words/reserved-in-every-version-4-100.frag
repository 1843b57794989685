// ES 1.00, 3.7: Words that are reserved for the future cannot be names.
#version 100
precision mediump float;
void main() {
    float hvec2 = 1.0; //~ error: `hvec2` is a reserved word of GLSL ES 1.00, it cannot be a name
    float fvec3 = 1.0; //~ error: `fvec3` is a reserved word of GLSL ES 1.00, it cannot be a name
    float dvec4 = 1.0; //~ error: `dvec4` is a reserved word of GLSL ES 1.00, it cannot be a name
    float cast = 1.0; //~ error: `cast` is a reserved word of GLSL ES 1.00, it cannot be a name
    float namespace = 1.0; //~ error: `namespace` is a reserved word of GLSL ES 1.00, it cannot be a name
    float using = 1.0; //~ error: `using` is a reserved word of GLSL ES 1.00, it cannot be a name
    float double = 1.0; //~ error: `double` is a reserved word of GLSL ES 1.00, it cannot be a name
    float sampler3DRect = 1.0; //~ error: `sampler3DRect` is a reserved word of GLSL ES 1.00, it cannot be a name
}
