#version 300 es
// ES 3.00, 4.1.9: There are no arrays of arrays.
precision highp float;
out vec4 color;
float g[2][3]; //~ error: GLSL ES 3.00 has no arrays of arrays
float[2] h[3]; //~ error: GLSL ES 3.00 has no arrays of arrays

void main() {
    float a[2][2]; //~ error: GLSL ES 3.00 has no arrays of arrays
}
