// GLSL 3.30, 4.1.9: An array may be declared without a size, and with one later.
// value: 3 0 0 1
#version 330
out vec4 color;
float a[];
float a[4];

void main() {
    a[3] = 3.0;
    color = vec4(a[3], 0.0, 0.0, 1.0);
}
