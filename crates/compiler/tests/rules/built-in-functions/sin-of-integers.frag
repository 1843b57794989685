// ES 1.00, 8.1: sin and the like take floats.
#version 100
precision mediump float;
uniform int n;

void main() {
    float a = sin(1); //~ error
    float b = sqrt(n); //~ error
    float c = floor(n); //~ error
    vec2 d = fract(ivec2(1)); //~ error
}
