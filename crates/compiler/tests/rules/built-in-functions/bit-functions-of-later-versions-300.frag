#version 300 es
// ES 3.00, 8: Later versions have these functions.
precision highp float;
out vec4 color;
void main() {
    int a = bitCount(3); //~ error: GLSL ES 3.00 has no function `bitCount` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    int b = findLSB(8); //~ error: GLSL ES 3.00 has no function `findLSB` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    uint c = bitfieldReverse(1u); //~ error: GLSL ES 3.00 has no function `bitfieldReverse` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    uint d, e;
    d = uaddCarry(1u, 2u, e); //~ error: GLSL ES 3.00 has no function `uaddCarry` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
}
