// GLSL 1.10, 8.3: There is no round, roundEven, trunc.
#version 110
uniform float u;

void main() {
    float a = round(u); //~ error
    float b = roundEven(u - 0.25); //~ error
    float c = trunc(-u); //~ error
}
