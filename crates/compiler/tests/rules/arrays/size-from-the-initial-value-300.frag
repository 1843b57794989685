#version 300 es
// ES 3.00, 4.1.9: An array without a size gets that of its initial value.
// value: 3 3 0 1
precision highp float;
out vec4 color;
void main() {
    float a[] = float[3](1.0, 2.0, 3.0);
    float b[] = a;
    color = vec4(a.length(), b.length(), 0.0, 1.0);
}
