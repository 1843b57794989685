// ES 1.00, 4.1.9: An array has a size.
#version 100
precision mediump float;
float g[]; //~ error: the array `g` needs a size

void main() {
    float a[]; //~ error: the array `a` needs a size
}
