// GLSL 3.30, 5.9: An int is converted to be compared with a float.
// value: 1 1 0 1
// set n = 2
#version 330
out vec4 color;
uniform int n;

void main() {
    bool a = n < 2.5;
    bool b = 2.0 == n;
    color = vec4(a, b, 0.0, 1.0);
}
