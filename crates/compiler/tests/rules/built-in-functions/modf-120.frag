// GLSL 1.20, 8.3: There is no modf.
#version 120
uniform float u;

void main() {
    float whole;
    float f = modf(u, whole); //~ error: GLSL 1.20 has no function `modf` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
