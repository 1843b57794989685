// ES 1.00, 3.4: GL_EXT_shader_texture_lod brings fetches with a level.
#version 100
#extension GL_EXT_shader_texture_lod : enable
precision mediump float;
uniform sampler2D s;

void main() {
    gl_FragColor = texture2DLodEXT(s, vec2(0.5), 0.0) + texture2DGradEXT(s, vec2(0.5), vec2(0.0), vec2(0.0));
}
