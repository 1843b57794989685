// GLSL 1.20, 4.1.10: An int is converted to float where a float is needed.
// value: 1 3 5 1
// set n = 5
#version 120
uniform int n;
float g = 3;

void main() {
    float a = 1;
    float b = n;
    gl_FragColor = vec4(a, g, b, 1.0);
}
