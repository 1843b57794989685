// GLSL 3.30, 4.1.3: The suffix u or U makes an integer unsigned.
// value: 1 2 255 8
#version 330
out vec4 color;
void main() {
    uint a = 1u, b = 2U, c = 0xffu, d = 010U;
    color = vec4(a, b, c, d);
}
