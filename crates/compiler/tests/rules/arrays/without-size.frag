// ES 1.00, 4.1.9: An array has a size.
#version 100
precision mediump float;
float g[]; //~ error

void main() {
    float a[]; //~ error
}
