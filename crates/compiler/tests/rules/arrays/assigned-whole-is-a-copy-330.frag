// GLSL 3.30, 5.8: An array that was assigned is a copy.
// value: 1 9 0 1
#version 330
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    float b[2] = a;
    b[0] = 9.0;
    color = vec4(a[0], b[0], 0.0, 1.0);
}
