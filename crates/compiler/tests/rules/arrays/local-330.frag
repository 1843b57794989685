// GLSL 3.30, 4.1.9: An array holds as many elements of one type as it says.
// value: 1 2 3 1
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    a[1] = 2.0;
    a[2] = 3.0;
    color = vec4(a[0], a[1], a[2], 1.0);
}
