// ES 1.00, 8.1: There are no hyperbolic functions.
#version 100
precision mediump float;
void main() {
    float a = sinh(0.0); //~ error: GLSL ES 1.00 has no function `sinh` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float b = cosh(0.0); //~ error: GLSL ES 1.00 has no function `cosh` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float c = tanh(0.0); //~ error: GLSL ES 1.00 has no function `tanh` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
