// ES 1.00, 4.3.4: A uniform has no initial value.
#version 100
precision mediump float;
uniform float u = 2.0; //~ error: in GLSL ES 1.00 a uniform has no initial value

void main() {
}
