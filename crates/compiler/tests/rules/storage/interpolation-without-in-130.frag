// GLSL 1.30, 4.3.7: Interpolation belongs to inputs.
#version 130
out vec4 color;
smooth float a; //~ error
flat uniform float u; //~ error
centroid uniform float w; //~ error
flat const float c = 1.0; //~ error

void main() {
    color = vec4(1.0);
}
