// ES 1.00, 8.3: There is no floatBitsToInt.
#version 100
precision mediump float;
void main() {
    int a = floatBitsToInt(1.0); //~ error: GLSL ES 1.00 has no function `floatBitsToInt` (it is in GLSL ES 3.00 and later, GLSL 3.30 and later, the extension `GL_ARB_shader_bit_encoding` and the extension `GL_ARB_gpu_shader5`)
    float b = intBitsToFloat(1); //~ error: GLSL ES 1.00 has no function `intBitsToFloat` (it is in GLSL ES 3.00 and later, GLSL 3.30 and later, the extension `GL_ARB_shader_bit_encoding` and the extension `GL_ARB_gpu_shader5`)
}
