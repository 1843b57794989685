// GLSL 3.30, 8.8: dFdx, dFdy and fwidth of a value that is the same everywhere are 0.
// value: 0 0 0 1
// set u = 3
#version 330
out vec4 color;
uniform float u;

void main() {
    color = vec4(dFdx(u), dFdy(vec2(u)).y, fwidth(u), 1.0);
}
