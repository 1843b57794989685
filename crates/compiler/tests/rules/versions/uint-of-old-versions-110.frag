// GLSL 1.10, 4.1: There are no unsigned integers.
#version 110
void main() {
    uint a = uint(3); //~ error: GLSL 1.10 has no type `uint`
}
