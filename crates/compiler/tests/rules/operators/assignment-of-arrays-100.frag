// ES 1.00, 5.8: Arrays are not assigned.
#version 100
precision mediump float;
void main() {
    float a[2], b[2];
    a[0] = 1.0; a[1] = 2.0;
    b = a; //~ error: GLSL ES 1.00 does not assign arrays
}
