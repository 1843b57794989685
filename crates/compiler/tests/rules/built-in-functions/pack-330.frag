// GLSL 3.30, 8: There is no packing of floats.
#version 330
out vec4 color;
void main() {
    uint a = packHalf2x16(vec2(1.0)); //~ error
}
