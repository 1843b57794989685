// ES 1.00, 5.2: An index is an integer.
#version 100
precision mediump float;
void main() {
    float a[3];
    a[0] = 1.0;
    float b = a[0.0]; //~ error
    float c = a[true]; //~ error
    float d = a[ivec2(0)]; //~ error
    float e = a[]; //~ error
}
