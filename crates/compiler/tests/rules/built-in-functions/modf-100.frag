// ES 1.00, 8.3: There is no modf.
#version 100
precision mediump float;
uniform float u;

void main() {
    float whole;
    float f = modf(u, whole); //~ error: GLSL ES 1.00 has no function `modf` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
