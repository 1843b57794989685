// GLSL 1.10, 3.6: There is no `invariant` in 1.10.
#version 110
invariant varying vec4 v; //~ error

void main() {
}
