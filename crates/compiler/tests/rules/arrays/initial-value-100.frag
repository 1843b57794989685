// ES 1.00, 4.1.9: An array has no initial value.
#version 100
precision mediump float;
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 2.0;
    float b[2] = a; //~ error: GLSL ES 1.00 has no initial values of arrays
}
