// GLSL 3.30, 3.6: Words that are reserved for the future cannot be names.
#version 330
out vec4 color;
void main() {
    float common = 1.0; //~ error: `common` is a reserved word of GLSL 3.30, it cannot be a name
    float partition = 1.0; //~ error: `partition` is a reserved word of GLSL 3.30, it cannot be a name
    float active = 1.0; //~ error: `active` is a reserved word of GLSL 3.30, it cannot be a name
    float filter = 1.0; //~ error: `filter` is a reserved word of GLSL 3.30, it cannot be a name
}
