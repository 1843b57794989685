// ES 1.00, 4.1.9: A number of elements is larger than 0.
#version 100
precision mediump float;
const int n = 2;

void main() {
    float a[0]; //~ error
    float b[-1]; //~ error
    float c[n - 2]; //~ error
}
