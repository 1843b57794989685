// GLSL 3.30, 4.3.1: An array that a loop fills has values: no warning.
// value: 6 0 0 1
#version 330
out vec4 color;
void main() {
    float a[4];
    for (int i = 0; i < 4; i++) a[i] = float(i);
    color = vec4(a[1] + a[2] + a[3], 0.0, 0.0, 1.0);
}
