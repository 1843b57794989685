// GLSL 3.30, 5.9: A scalar and a vector: the scalar goes with every component.
// value: 3 5 7 9
// set a = 2
#version 330
out vec4 color;
uniform float a;

void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    color = v * a + (a - 1.0);
}
