// ES 1.00, 8.3: There is no round, roundEven, trunc.
#version 100
precision mediump float;
uniform float u;

void main() {
    float a = round(u); //~ error
    float b = roundEven(u - 0.25); //~ error
    float c = trunc(-u); //~ error
}
