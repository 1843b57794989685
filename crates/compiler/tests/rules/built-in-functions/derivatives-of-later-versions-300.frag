#version 300 es
// ES 3.00, 8.9: Later versions have these functions.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = dFdxFine(u); //~ error: GLSL ES 3.00 has no function `dFdxFine` (it is in GLSL 4.50 and later and the extension `GL_ARB_derivative_control`)
    float b = fwidthCoarse(u); //~ error: GLSL ES 3.00 has no function `fwidthCoarse` (it is in GLSL 4.50 and later and the extension `GL_ARB_derivative_control`)
}
