// GLSL 1.20, 8.7: texture2DLod belongs to vertex shaders.
#version 120
uniform sampler2D s;

void main() {
    gl_FragColor = texture2DLod(s, vec2(0.5), 0.0); //~ error: GLSL 1.20 has no function `texture2DLod` (it is in GLSL 1.30 to 4.10, the extension `GL_ARB_shader_texture_lod` and the extension `GL_EXT_gpu_shader4`)
}
