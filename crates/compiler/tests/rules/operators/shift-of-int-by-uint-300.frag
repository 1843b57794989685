#version 300 es
// ES 3.00, 5.9: What is shifted and by how much may be signed and unsigned in any mix.
// value: 4 8 4 8
precision highp float;
out vec4 color;
void main() {
    const int a = 1 << 2u;
    const uint b = 1u << 3;
    const ivec2 c = ivec2(1, 2) << 2;
    color = vec4(a, b, c);
}
