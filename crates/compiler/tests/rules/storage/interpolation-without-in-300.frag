#version 300 es
// ES 3.00, 4.3.9: Interpolation belongs to inputs.
precision highp float;
out vec4 color;
smooth float a; //~ error
flat uniform float u; //~ error
centroid uniform float w; //~ error
flat const float c = 1.0; //~ error

void main() {
    color = vec4(1.0);
}
