// GLSL 3.30, 7.2: The core profile has no fixed functions.
#version 330
out vec4 color;
void main() {
    vec4 a = gl_Color; //~ error
    vec4 b = gl_TexCoord[0]; //~ error
    vec4 c = gl_SecondaryColor; //~ error
}
