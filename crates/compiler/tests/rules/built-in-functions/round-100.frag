// ES 1.00, 8.3: There is no round, roundEven, trunc.
#version 100
precision mediump float;
uniform float u;

void main() {
    float a = round(u); //~ error: GLSL ES 1.00 has no function `round` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float b = roundEven(u - 0.25); //~ error: GLSL ES 1.00 has no function `roundEven` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float c = trunc(-u); //~ error: GLSL ES 1.00 has no function `trunc` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
