// GLSL 3.30, 8: Later versions have these functions.
#version 330
out vec4 color;
void main() {
    int a = bitCount(3); //~ error: GLSL 3.30 has no function `bitCount` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    int b = findLSB(8); //~ error: GLSL 3.30 has no function `findLSB` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    uint c = bitfieldReverse(1u); //~ error: GLSL 3.30 has no function `bitfieldReverse` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    uint d, e;
    d = uaddCarry(1u, 2u, e); //~ error: GLSL 3.30 has no function `uaddCarry` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
}
