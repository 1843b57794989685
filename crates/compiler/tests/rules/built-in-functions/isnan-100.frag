// ES 1.00, 8.3: There is no isnan and no isinf.
#version 100
precision mediump float;
uniform float u;

void main() {
    bool a = isnan(u); //~ error: GLSL ES 1.00 has no function `isnan` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    bool b = isinf(u); //~ error: GLSL ES 1.00 has no function `isinf` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
