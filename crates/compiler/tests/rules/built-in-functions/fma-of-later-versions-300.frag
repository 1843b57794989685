#version 300 es
// ES 3.00, 8.3: Later versions have fma, frexp and ldexp.
precision highp float;
out vec4 color;
void main() {
    float a = fma(1.0, 2.0, 3.0); //~ error: GLSL ES 3.00 has no function `fma` (it is in GLSL ES 3.20 and later, GLSL 4.00 and later, the extension `GL_ARB_gpu_shader5` and the extension `GL_EXT_gpu_shader5`)
    int n;
    float b = frexp(1.0, n); //~ error: GLSL ES 3.00 has no function `frexp` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
    float c = ldexp(1.0, 2); //~ error: GLSL ES 3.00 has no function `ldexp` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later and the extension `GL_ARB_gpu_shader5`)
}
