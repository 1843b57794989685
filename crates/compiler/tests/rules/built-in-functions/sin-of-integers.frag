// ES 1.00, 8.1: sin and the like take floats.
#version 100
precision mediump float;
uniform int n;

void main() {
    float a = sin(1); //~ error: no function `sin` takes (int)
    float b = sqrt(n); //~ error: no function `sqrt` takes (int)
    float c = floor(n); //~ error: no function `floor` takes (int)
    vec2 d = fract(ivec2(1)); //~ error: no function `fract` takes (ivec2)
}
