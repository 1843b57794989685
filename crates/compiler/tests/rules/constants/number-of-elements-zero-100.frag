// ES 1.00, 4.1.9: A number of elements is larger than 0.
#version 100
precision mediump float;
const int n = 2;

void main() {
    float a[0]; //~ error: a number of elements is above 0; this is 0
    float b[-1]; //~ error: a number of elements is above 0; this is -1
    float c[n - 2]; //~ error: a number of elements is above 0; this is 0
}
