// GLSL 3.30, 5.4.1: bool(x) is false for 0 and -0, else true.
// value: 0 1 1 0
// set a = 0
// set b = -3
// set c = 0.001
#version 330
out vec4 color;
uniform float a, c;
uniform int b;

void main() {
    color = vec4(float(bool(a)), float(bool(b)), float(bool(c)), float(bool(-a)));
}
