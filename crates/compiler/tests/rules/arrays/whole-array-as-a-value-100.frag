// ES 1.00, 5.9: An array is no number.
#version 100
precision mediump float;
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 1.0;
    float b = a; //~ error
    float c = sin(a); //~ error
    vec2 d = a * 2.0; //~ error
}
