// GLSL 1.20, 3.6: The words of precision are reserved in 1.20.
#version 120
void main() {
    float lowp = 1.0; //~ error: `lowp` is a reserved word of GLSL 1.20, it cannot be a name
    float mediump = 2.0; //~ error: `mediump` is a reserved word of GLSL 1.20, it cannot be a name
    float highp = 3.0; //~ error: `highp` is a reserved word of GLSL 1.20, it cannot be a name
    float precision = 4.0; //~ error: `precision` is a reserved word of GLSL 1.20, it cannot be a name
}
