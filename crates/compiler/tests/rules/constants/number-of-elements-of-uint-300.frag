#version 300 es
// ES 3.00, 4.1.9: A number of elements may be unsigned.
// value: 2 0 0 1
precision highp float;
out vec4 color;
void main() {
    float a[2u];
    a[1u] = 2.0;
    color = vec4(a[1], 0.0, 0.0, 1.0);
}
