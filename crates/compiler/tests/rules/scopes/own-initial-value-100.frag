// ES 1.00, 4.2.2: A name counts after its initial value: `int x = x;` reads an x from outside, if any.
#version 100
precision mediump float;
void main() {
    float a = a; //~ error
}
