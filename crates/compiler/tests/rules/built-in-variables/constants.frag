// GLSL 3.30, 7.3: The built-in constants are integers of at least what the language says.
// value: 1 1 1 1
#version 330
out vec4 color;
void main() {
    color = vec4(float(gl_MaxDrawBuffers >= 1), float(gl_MaxTextureImageUnits >= 2), float(gl_MaxCombinedTextureImageUnits >= 2), float(gl_MaxVaryingFloats >= 32));
}
