// GLSL 3.30, 8.3: modf gives the fraction, and the whole part by an out parameter.
// value: 0.75 2 0 1
// set u = 2.75
#version 330
out vec4 color;
uniform float u;

void main() {
    float whole;
    float f = modf(u, whole);
    color = vec4(f, whole, 0.0, 1.0);
}
