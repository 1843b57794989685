// GLSL 3.30, 4.3.3: A number of elements is a constant expression: literals, constants, operators.
// value: 3 4 6 1
#version 330
out vec4 color;
const int n = 2;
const int m = n * 2;

void main() {
    float a[3];
    float b[n + 2];
    float c[(m + n) * 1];
    a[2] = 3.0;
    b[3] = 4.0;
    c[5] = 6.0;
    color = vec4(a[2], b[3], c[5], 1.0);
}
