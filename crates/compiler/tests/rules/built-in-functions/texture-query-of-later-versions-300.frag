#version 300 es
// ES 3.00, 8.8: Later versions have these functions.
precision highp float;
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = textureGather(s, vec2(0.5)); //~ error: GLSL ES 3.00 has no function `textureGather` (it is in GLSL ES 3.10 and later, GLSL 4.00 and later, the extension `GL_ARB_texture_gather` and the extension `GL_ARB_gpu_shader5`)
    int b = textureQueryLevels(s); //~ error: GLSL ES 3.00 has no function `textureQueryLevels` (it is in GLSL 4.30 and later)
}
