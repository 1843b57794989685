// ES 1.00, 4.1.9: An argument that is an array has the parameter's size.
#version 100
precision mediump float;
float f(float a[2]) { return a[0]; }

void main() {
    float a[3];
    float b = f(a); //~ error
    float c = f(1.0); //~ error
}
