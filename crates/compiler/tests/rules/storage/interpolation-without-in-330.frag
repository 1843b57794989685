// GLSL 3.30, 4.3.9: Interpolation belongs to inputs.
#version 330
out vec4 color;
smooth float a; //~ error: `smooth` is only allowed on an input
flat uniform float u; //~ error: `flat` is only allowed on an input
centroid uniform float w; //~ error: `centroid` is only allowed on an input
flat const float c = 1.0; //~ error: `flat` is only allowed on an input

void main() {
    color = vec4(1.0);
}
