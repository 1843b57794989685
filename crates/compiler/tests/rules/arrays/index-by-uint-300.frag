#version 300 es
// ES 3.00, 5.7: An index may be unsigned.
// value: 2 0 0 1
// set n = 1
precision highp float;
out vec4 color;
uniform uint n;

void main() {
    float a[2] = float[2](1.0, 2.0);
    color = vec4(a[n], 0.0, 0.0, 1.0);
}
