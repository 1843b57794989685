// ES 1.00, 4.1.9: A number of elements is an integer.
#version 100
precision mediump float;
void main() {
    float a[2.0]; //~ error: an array size is an integer, not `float`
    float b[true]; //~ error: an array size is an integer, not `bool`
    float c[ivec2(1).xy]; //~ error: an array size is an integer, not `ivec2`
}
