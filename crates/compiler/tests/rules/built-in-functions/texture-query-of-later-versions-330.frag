// GLSL 3.30, 8.7: Later versions have these functions.
#version 330
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = textureGather(s, vec2(0.5)); //~ error: GLSL 3.30 has no function `textureGather` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later, the extension `GL_ARB_texture_gather` and the extension `GL_ARB_gpu_shader5`)
    int b = textureQueryLevels(s); //~ error: GLSL 3.30 has no function `textureQueryLevels` (it is in GLSL 4.30 and later)
}
