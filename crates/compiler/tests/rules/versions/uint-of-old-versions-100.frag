// ES 1.00, 4.1: There are no unsigned integers.
#version 100
precision mediump float;
void main() {
    uint a = uint(3); //~ error: GLSL ES 1.00 has no type `uint`
}
