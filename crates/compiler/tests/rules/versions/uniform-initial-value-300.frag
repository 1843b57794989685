#version 300 es
// ES 3.00, 4.3.5: A uniform has no initial value.
precision highp float;
out vec4 color;
uniform float u = 2.0; //~ error: in GLSL ES 3.00 a uniform has no initial value

void main() {
}
