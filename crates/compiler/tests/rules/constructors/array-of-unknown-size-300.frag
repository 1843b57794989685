#version 300 es
// ES 3.00, 5.4.4: The size of an array follows from its constructor.
// value: 2 3 2 3
precision highp float;
out vec4 color;
void main() {
    float a[] = float[](1.0, 2.0);
    float b[3] = float[](1.0, 2.0, 3.0);
    color = vec4(a[1], b[2], a.length(), b.length());
}
