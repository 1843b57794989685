// GLSL 1.10, 7.4: The built-in constants are integers of at least what the language says.
// value: 1 1 1 1
#version 110
void main() {
    gl_FragColor = vec4(float(gl_MaxDrawBuffers >= 1), float(gl_MaxTextureImageUnits >= 2), float(gl_MaxTextureUnits >= 2), float(gl_MaxVaryingFloats >= 32));
}
