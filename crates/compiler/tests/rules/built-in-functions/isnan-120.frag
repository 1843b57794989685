// GLSL 1.20, 8.3: There is no isnan and no isinf.
#version 120
uniform float u;

void main() {
    bool a = isnan(u); //~ error: GLSL 1.20 has no function `isnan` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    bool b = isinf(u); //~ error: GLSL 1.20 has no function `isinf` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
