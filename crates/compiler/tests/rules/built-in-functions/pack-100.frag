// ES 1.00, 8: There is no packing of floats.
#version 100
precision mediump float;
void main() {
    uint a = packHalf2x16(vec2(1.0)); //~ error: GLSL ES 1.00 has no type `uint`
}
