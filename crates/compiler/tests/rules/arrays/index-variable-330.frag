// GLSL 3.30, 5.7: An index may be computed, to read and to write.
// value: 2 9 3 1
// set n = 1
#version 330
out vec4 color;
uniform int n;

void main() {
    float a[3];
    a[0] = 1.0; a[1] = 2.0; a[2] = 3.0;
    float b = a[n];
    a[n - 1] = 9.0;
    color = vec4(b, a[0], a[n + 1], 1.0);
}
