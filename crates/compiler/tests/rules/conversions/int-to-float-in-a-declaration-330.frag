// GLSL 3.30, 4.1.10: An int is converted to float where a float is needed.
// value: 1 3 5 1
// set n = 5
#version 330
out vec4 color;
uniform int n;
float g = 3;

void main() {
    float a = 1;
    float b = n;
    color = vec4(a, g, b, 1.0);
}
