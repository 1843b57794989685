// GLSL 1.10, 8.8: dFdx, dFdy and fwidth of a value that is the same everywhere are 0.
// value: 0 0 0 1
// set u = 3
#version 110
uniform float u;

void main() {
    gl_FragColor = vec4(dFdx(u), dFdy(vec2(u)).y, fwidth(u), 1.0);
}
