#version 300 es
// ES 3.00, 4.1.9: length() is a value.
precision highp float;
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    a.length() = 3; //~ error: `a` is constant, and cannot be written to
}
