// GLSL 3.30, 3.6: Words that are reserved for the future cannot be names.
#version 330
out vec4 color;
void main() {
    float long = 1.0; //~ error: `long` is a reserved word of GLSL 3.30, it cannot be a name
    float short = 1.0; //~ error: `short` is a reserved word of GLSL 3.30, it cannot be a name
    float half = 1.0; //~ error: `half` is a reserved word of GLSL 3.30, it cannot be a name
    float fixed = 1.0; //~ error: `fixed` is a reserved word of GLSL 3.30, it cannot be a name
    float unsigned = 1.0; //~ error: `unsigned` is a reserved word of GLSL 3.30, it cannot be a name
    float input = 1.0; //~ error: `input` is a reserved word of GLSL 3.30, it cannot be a name
    float output = 1.0; //~ error: `output` is a reserved word of GLSL 3.30, it cannot be a name
    float sizeof = 1.0; //~ error: `sizeof` is a reserved word of GLSL 3.30, it cannot be a name
}
