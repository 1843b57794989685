// ES 1.00, 4.1.9: There are no arrays of arrays.
#version 100
precision mediump float;
float g[2][3]; //~ error: GLSL ES 1.00 has no arrays of arrays

void main() {
    float a[2][2]; //~ error: GLSL ES 1.00 has no arrays of arrays
}
