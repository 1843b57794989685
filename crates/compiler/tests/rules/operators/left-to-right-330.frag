// GLSL 3.30, 5.1: Operators of one strength bind from the left.
// value: 1 3 16 2
// set a = 8
#version 330
out vec4 color;
uniform float a;

void main() {
    color = vec4(a - 4.0 - 3.0, a - (4.0 + 1.0), a / 2.0 * 4.0, a / 2.0 / 2.0);
}
