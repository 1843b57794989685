// ES 1.00, 4.1.9: A number of elements is a constant expression.
#version 100
precision mediump float;
uniform int u;
int g = 3;

void main() {
    int n = 2;
    float a[n]; //~ error: a number of elements is a constant expression; this is none
    float b[u]; //~ error: a number of elements is a constant expression; this is none
    float c[g]; //~ error: a number of elements is a constant expression; this is none
}
