// GLSL 3.30, 3.6: Words that are reserved for the future cannot be names.
#version 330
out vec4 color;
void main() {
    float asm = 1.0; //~ error: `asm` is a reserved word of GLSL 3.30, it cannot be a name
    float class = 1.0; //~ error: `class` is a reserved word of GLSL 3.30, it cannot be a name
    float union = 1.0; //~ error: `union` is a reserved word of GLSL 3.30, it cannot be a name
    float enum = 1.0; //~ error: `enum` is a reserved word of GLSL 3.30, it cannot be a name
    float typedef = 1.0; //~ error: `typedef` is a reserved word of GLSL 3.30, it cannot be a name
    float template = 1.0; //~ error: `template` is a reserved word of GLSL 3.30, it cannot be a name
    float this = 1.0; //~ error: `this` is a reserved word of GLSL 3.30, it cannot be a name
    float goto = 1.0; //~ error: `goto` is a reserved word of GLSL 3.30, it cannot be a name
}
