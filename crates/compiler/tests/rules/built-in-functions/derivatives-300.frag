#version 300 es
// ES 3.00, 8.9: dFdx, dFdy and fwidth of a value that is the same everywhere are 0.
// value: 0 0 0 1
// set u = 3
precision highp float;
out vec4 color;
uniform float u;

void main() {
    color = vec4(dFdx(u), dFdy(vec2(u)).y, fwidth(u), 1.0);
}
