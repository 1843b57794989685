// GLSL 1.10, 3.6: There is no `invariant` in 1.10.
#version 110
invariant varying vec4 v; //~ error: `invariant` is a keyword of GLSL 1.20 and GLSL ES 1.00, not of GLSL 1.10

void main() {
}
