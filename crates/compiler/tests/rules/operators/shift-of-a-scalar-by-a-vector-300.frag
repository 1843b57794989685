#version 300 es
// ES 3.00, 5.9: A scalar is not shifted by a vector.
precision highp float;
out vec4 color;
void main() {
    ivec2 a = 1 << ivec2(1, 2); //~ error: `<<` does not take `int` and `ivec2`
    ivec2 b = ivec2(1) << ivec3(1); //~ error: `<<` does not take `ivec2` and `ivec3`
}
