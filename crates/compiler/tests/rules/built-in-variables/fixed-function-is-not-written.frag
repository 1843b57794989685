// GLSL 1.20, 7.6: Inputs are not written.
#version 120
void main() {
    gl_Color = vec4(1.0); //~ error: `gl_Color` is an input of the shader, and cannot be written to
    gl_TexCoord[0] = vec4(1.0); //~ error: `gl_TexCoord` is an input of the shader, and cannot be written to
}
