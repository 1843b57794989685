// GLSL 3.30, 5.9: The operators of bits work on constants.
// value: -6 -2 3 1
#version 330
out vec4 color;
void main() {
    const int a = ~5, b = -8 >> 2;
    const uint c = 12u >> 2u, d = 7u & ~6u;
    color = vec4(a, b, c, d);
}
