// GLSL 1.10, 8.1: There are no hyperbolic functions.
#version 110
void main() {
    float a = sinh(0.0); //~ error
    float b = cosh(0.0); //~ error
    float c = tanh(0.0); //~ error
}
