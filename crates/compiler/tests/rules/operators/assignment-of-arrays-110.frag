// GLSL 1.10, 5.8: Arrays are not assigned.
#version 110
void main() {
    float a[2], b[2];
    a[0] = 1.0; a[1] = 2.0;
    b = a; //~ error: GLSL 1.10 does not assign arrays
}
