#version 300 es
// ES 3.00, 5.7: An index is an integer.
precision highp float;
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    float b = a[0.0]; //~ error
    float c = a[true]; //~ error
    float d = a[ivec2(0)]; //~ error
    float e = a[]; //~ error
}
