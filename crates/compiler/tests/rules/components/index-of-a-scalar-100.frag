// ES 1.00, 5.2: A scalar is not indexed.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    float b = a[0]; //~ error: a value of type `float` has no elements
}
