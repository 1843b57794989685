// ES 1.00, 4.1.9: Arrays have no length().
#version 100
precision mediump float;
void main() {
    float a[3];
    a[0] = 1.0;
    int n = a.length(); //~ error: GLSL ES 1.00 has no methods
}
