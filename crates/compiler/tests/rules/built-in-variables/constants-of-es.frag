// ES 1.00, 7.4: The built-in constants are integers of at least what the language says.
// value: 1 1 1 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(gl_MaxVertexAttribs >= 8), float(gl_MaxVertexUniformVectors >= 128), float(gl_MaxVaryingVectors >= 8), float(gl_MaxCombinedTextureImageUnits >= 8));
}
