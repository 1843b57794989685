// GLSL 3.30, 8: There is no packing of floats.
#version 330
out vec4 color;
void main() {
    uint a = packHalf2x16(vec2(1.0)); //~ error: GLSL 3.30 has no function `packHalf2x16` (it is in GLSL ES 3.00 and later, GLSL 4.20 and later and the extension `GL_ARB_shading_language_packing`)
}
