// GLSL 1.10, 4.3.5: A uniform has no initial value.
#version 110
uniform float u = 2.0; //~ error: in GLSL 1.10 a uniform has no initial value

void main() {
}
