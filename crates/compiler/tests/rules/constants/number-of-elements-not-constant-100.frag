// ES 1.00, 4.1.9: A number of elements is a constant expression.
#version 100
precision mediump float;
uniform int u;
int g = 3;

void main() {
    int n = 2;
    float a[n]; //~ error: an array size must be a constant expression
    float b[u]; //~ error: an array size must be a constant expression
    float c[g]; //~ error: an array size must be a constant expression
}
