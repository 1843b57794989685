#version 300 es
// ES 3.00, 8.1: sin and the like take floats.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    float a = sin(1); //~ error
    float b = sqrt(n); //~ error
    float c = floor(n); //~ error
    vec2 d = fract(ivec2(1)); //~ error
}
