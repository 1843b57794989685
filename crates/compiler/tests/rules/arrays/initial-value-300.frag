#version 300 es
// ES 3.00, 4.1.9: An array has another as its initial value.
// value: 1 2 0 1
precision highp float;
out vec4 color;
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 2.0;
    float b[2] = a;
    color = vec4(b[0], b[1], 0.0, 1.0);
}
