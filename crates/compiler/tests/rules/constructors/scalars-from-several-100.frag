// ES 1.00, 5.4.1: A scalar is made from one value.
#version 100
precision mediump float;
void main() {
    float a = float(1.0, 2.0); //~ error
    int b = int(1, 2); //~ error
    bool c = bool(true, false); //~ error
}
