#version 300 es
// ES 3.00, 4.1.9: An array of structures that have arrays is possible.
// value: 5 0 0 1
precision highp float;
out vec4 color;
struct S { float a[2]; };

void main() {
    S s[2];
    s[1].a[0] = 5.0;
    color = vec4(s[1].a[0], 0.0, 0.0, 1.0);
}
