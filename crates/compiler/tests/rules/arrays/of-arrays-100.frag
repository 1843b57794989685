// ES 1.00, 4.1.9: There are no arrays of arrays.
#version 100
precision mediump float;
float g[2][3]; //~ error

void main() {
    float a[2][2]; //~ error
}
