// GLSL 1.20, 8.7: There is no textureSize and no texelFetch.
#version 120
uniform sampler2D s;

void main() {
    vec4 a = vec4(textureSize(s, 0), 0, 0); //~ error: GLSL 1.20 has no function `textureSize` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    vec4 b = texelFetch(s, ivec2(0), 0); //~ error: GLSL 1.20 has no function `texelFetch` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
