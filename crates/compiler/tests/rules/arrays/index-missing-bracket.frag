#version 300 es
// ES 3.00, 9: An index ends with `]`.
precision highp float;
out vec4 color;
void main() {
    float a[3];
    a[0 = 1.0; //~ error: expected `]` after an index, found `;`
}
