#version 300 es
// ES 3.00, 8: There is no noise.
precision highp float;
out vec4 color;
void main() {
    float a = noise1(1.0); //~ error: GLSL ES 3.00 has no function `noise1` (it is in GLSL 1.10 and later)
}
