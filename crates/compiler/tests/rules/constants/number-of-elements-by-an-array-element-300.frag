#version 300 es
// ES 3.00, 4.3.3: An element of a constant array is a constant expression.
// value: 5 0 0 1
precision highp float;
out vec4 color;
const int n[3] = int[3](1, 2, 3);

void main() {
    float a[n[1] + n[2]];
    a[4] = 5.0;
    color = vec4(a[4], 0.0, 0.0, 1.0);
}
