// ES 1.00, 4.1: There are no doubles.
#version 100
precision mediump float;
void main() {
    double a = 1.0; //~ error
}
