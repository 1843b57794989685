// GLSL 3.30, 4.3.3: The length of an array is a constant expression.
// value: 3 3 0 1
#version 330
out vec4 color;
void main() {
    float a[3];
    float b[a.length()];
    a[2] = 3.0;
    b[2] = 3.0;
    color = vec4(a[2], b[2], 0.0, 1.0);
}
