// ES 1.00, 5.3: A variable is not called.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    float b = a(1.0); //~ error
    a(); //~ error
}
