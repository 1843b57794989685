// GLSL 3.30, 8.8: Later versions have these functions.
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = dFdxFine(u); //~ error
    float b = fwidthCoarse(u); //~ error
}
