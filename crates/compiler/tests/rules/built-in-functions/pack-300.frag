#version 300 es
// ES 3.00, 8.4: Floats are packed into integers; of constants that is a constant.
// value: 1 1 0 1
precision highp float;
out vec4 color;
void main() {
    uint a = packHalf2x16(vec2(1.0));
    const uint b = packUnorm2x16(vec2(1.0, 0.0));
    color = vec4(a == 0x3c003c00u, b == 0x0000ffffu, 0.0, 1.0);
}
