// GLSL 3.30, 8.3: abs, sign, floor, ceil, fract work on floats and vectors.
// value: 2.5 -1 -3 -2
// set u = -2.5
#version 330
out vec4 color;
uniform float u;

void main() {
    vec2 v = vec2(u);
    color = vec4(abs(u), sign(v).y, floor(v).x, ceil(u) + fract(u) - 0.5);
}
