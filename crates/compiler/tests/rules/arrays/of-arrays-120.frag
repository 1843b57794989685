// GLSL 1.20, 4.1.9: There are no arrays of arrays.
#version 120
float g[2][3]; //~ error: GLSL 1.20 has no arrays of arrays
float[2] h[3]; //~ error: GLSL 1.20 has no arrays of arrays

void main() {
    float a[2][2]; //~ error: GLSL 1.20 has no arrays of arrays
}
