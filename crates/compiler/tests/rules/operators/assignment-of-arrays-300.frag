#version 300 es
// ES 3.00, 5.8: An array is assigned whole.
// value: 1 2 0 1
precision highp float;
out vec4 color;
void main() {
    float a[2], b[2];
    a[0] = 1.0; a[1] = 2.0;
    b = a;
    color = vec4(b[0], b[1], 0.0, 1.0);
}
