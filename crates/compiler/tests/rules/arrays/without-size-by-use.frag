// GLSL 3.30, 4.1.9: An array without a size is as large as its largest constant index needs.
// value: 3 2 0 1
#version 330
out vec4 color;
float a[];

void main() {
    a[3] = 3.0;
    a[1] = 2.0;
    color = vec4(a[3], a[1], 0.0, 1.0);
}
