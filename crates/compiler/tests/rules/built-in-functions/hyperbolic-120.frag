// GLSL 1.20, 8.1: There are no hyperbolic functions.
#version 120
void main() {
    float a = sinh(0.0); //~ error: GLSL 1.20 has no function `sinh` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float b = cosh(0.0); //~ error: GLSL 1.20 has no function `cosh` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float c = tanh(0.0); //~ error: GLSL 1.20 has no function `tanh` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
