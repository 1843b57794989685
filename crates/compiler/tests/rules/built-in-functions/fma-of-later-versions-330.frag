// GLSL 3.30, 8.3: Later versions have fma, frexp and ldexp.
#version 330
out vec4 color;
void main() {
    float a = fma(1.0, 2.0, 3.0); //~ error: GLSL 3.30 has no function `fma` (it is in GLSL ES 3.20 and later, GLSL 4.00 and later, the extension `GL_ARB_gpu_shader5` and the extension `GL_EXT_gpu_shader5`)
    int n;
    float b = frexp(1.0, n); //~ error: GLSL 3.30 has no function `frexp` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    float c = ldexp(1.0, 2); //~ error: GLSL 3.30 has no function `ldexp` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
}
