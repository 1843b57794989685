// ES 1.00, 8.7: There is no textureSize and no texelFetch.
#version 100
precision mediump float;
uniform sampler2D s;

void main() {
    vec4 a = vec4(textureSize(s, 0), 0, 0); //~ error: GLSL ES 1.00 has no function `textureSize` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    vec4 b = texelFetch(s, ivec2(0), 0); //~ error: GLSL ES 1.00 has no function `texelFetch` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
