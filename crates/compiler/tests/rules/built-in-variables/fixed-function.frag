// GLSL 1.20, 7.6: The colours and coordinates of the fixed functions are inputs.
#version 120
void main() {
    gl_FragColor = gl_Color + gl_SecondaryColor + gl_TexCoord[0] + gl_TexCoord[1] * gl_FogFragCoord;
}
