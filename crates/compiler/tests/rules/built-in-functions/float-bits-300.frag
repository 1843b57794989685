#version 300 es
// ES 3.00, 8.3: floatBitsToInt and intBitsToFloat of constants are constants.
// value: 1 2 1 1
precision highp float;
out vec4 color;
void main() {
    color = vec4(floatBitsToInt(1.0) == 1065353216, intBitsToFloat(0x40000000), floatBitsToUint(2.0) == 0x40000000u, uintBitsToFloat(0x3f800000u));
}
