// GLSL 1.20, 4.1.9: There are no arrays of arrays.
#version 120
float g[2][3]; //~ error
float[2] h[3]; //~ error

void main() {
    float a[2][2]; //~ error
}
