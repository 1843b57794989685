// ES 1.00, 8.1: There are no hyperbolic functions.
#version 100
precision mediump float;
void main() {
    float a = sinh(0.0); //~ error
    float b = cosh(0.0); //~ error
    float c = tanh(0.0); //~ error
}
