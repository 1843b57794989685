// GLSL 1.10, 3.6: Words that are reserved for the future cannot be names.
#version 110
void main() {
    float hvec2 = 1.0; //~ error
    float fvec3 = 1.0; //~ error
    float dvec4 = 1.0; //~ error
    float cast = 1.0; //~ error
    float namespace = 1.0; //~ error
    float using = 1.0; //~ error
    float double = 1.0; //~ error
    float sampler3DRect = 1.0; //~ error
}
