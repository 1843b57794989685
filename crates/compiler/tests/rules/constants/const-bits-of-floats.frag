// GLSL 3.30, 8.3: The bits of a constant float are a constant.
// value: 1 1 0 1
#version 330
out vec4 color;
const bool a = floatBitsToInt(1.0) == 0x3f800000;
const bool b = intBitsToFloat(0x40000000) == 2.0;

void main() {
    color = vec4(a, b, 0.0, 1.0);
}
