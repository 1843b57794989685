// GLSL 3.30, 7.2: The core profile has no fixed functions.
#version 330
out vec4 color;
void main() {
    vec4 a = gl_Color; //~ error: GLSL 3.30 has no `gl_Color` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    vec4 b = gl_TexCoord[0]; //~ error: GLSL 3.30 has no `gl_TexCoord` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    vec4 c = gl_SecondaryColor; //~ error: GLSL 3.30 has no `gl_SecondaryColor` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
}
