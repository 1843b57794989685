// GLSL 3.30, 8.8: Later versions have these functions.
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = dFdxFine(u); //~ error: GLSL 3.30 has no function `dFdxFine` (it is in GLSL 4.50 and later and the extension `GL_ARB_derivative_control`)
    float b = fwidthCoarse(u); //~ error: GLSL 3.30 has no function `fwidthCoarse` (it is in GLSL 4.50 and later and the extension `GL_ARB_derivative_control`)
}
