#version 300 es
// ES 3.00, 3.8: Upper and lower case are different.
// value: 1 2 3 1
precision highp float;
out vec4 color;
void main() {
    float a = 1.0, A = 2.0, Float = 3.0;
    color = vec4(a, A, Float, 1.0);
}
