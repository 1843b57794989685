// ES 1.00, 7: There are no fixed functions.
#version 100
precision mediump float;
void main() {
    vec4 a = gl_Color; //~ error: GLSL ES 1.00 has no `gl_Color` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    vec4 b = gl_TexCoord[0]; //~ error: GLSL ES 1.00 has no `gl_TexCoord` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
}
