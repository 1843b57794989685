// GLSL 1.10, 4.1.9: The size comes after the name.
#version 110
void main() {
    float[2] a, b; //~ error: GLSL 1.10 has no types of arrays
}
