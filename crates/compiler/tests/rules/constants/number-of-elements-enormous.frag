#version 300 es
// ES 3.00, 4.1.9: The machine has room for some hundred numbers.
precision highp float;
out vec4 color;
void main() {
    float a[2147483647]; //~ error: this array is too large
    a[0] = 1.0;
}
