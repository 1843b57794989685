#version 300 es
// ES 3.00, 8.9: Later versions have these functions.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = dFdxFine(u); //~ error
    float b = fwidthCoarse(u); //~ error
}
