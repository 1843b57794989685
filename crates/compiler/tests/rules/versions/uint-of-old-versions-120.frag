// GLSL 1.20, 4.1: There are no unsigned integers.
#version 120
void main() {
    uint a = uint(3); //~ error: GLSL 1.20 has no type `uint`
}
