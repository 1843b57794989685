// GLSL 4.20, 8.4: of constants packing is a constant.
// value: 1 1 1 1
#version 420
out vec4 color;
void main() {
    const uint a = packSnorm2x16(vec2(-1.0, 1.0));
    const uint b = packUnorm4x8(vec4(0.0, 1.0, 0.2, -3.0));
    vec2 c = unpackHalf2x16(0xc0003c00u);
    color = vec4(a == 0x7fff8001u, b == 0x0033ff00u, c == vec2(1.0, -2.0), 1.0);
}
