// ES 1.00, 4.1.9: A number of elements is larger than 0.
#version 100
precision mediump float;
const int n = 2;

void main() {
    float a[0]; //~ error: an array size must be at least 1, not 0
    float b[-1]; //~ error: an array size must be at least 1, not -1
    float c[n - 2]; //~ error: an array size must be at least 1, not 0
}
