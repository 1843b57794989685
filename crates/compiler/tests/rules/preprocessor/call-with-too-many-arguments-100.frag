// ES 1.00, 3.4: A macro takes as many arguments as it was defined with.
#version 100
precision mediump float;
#define NEG(a) (-(a))

void main() {
    float a = NEG(1.0, 2.0); //~ error
}
