// GLSL 3.30, 8: Later versions have these functions.
#version 330
out vec4 color;
void main() {
    int a = bitCount(3); //~ error
    int b = findLSB(8); //~ error
    uint c = bitfieldReverse(1u); //~ error
    uint d, e;
    d = uaddCarry(1u, 2u, e); //~ error
}
