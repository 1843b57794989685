#version 300 es
// ES 3.00, 7.3: The built-in constants are integers of at least what the language says.
// value: 1 1 1 1
precision highp float;
out vec4 color;
void main() {
    color = vec4(gl_MaxVertexOutputVectors >= 16, gl_MaxFragmentInputVectors >= 15, gl_MinProgramTexelOffset <= -8, gl_MaxProgramTexelOffset >= 7);
}
