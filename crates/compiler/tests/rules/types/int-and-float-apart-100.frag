// ES 1.00, 4.1.3: int and float are different types, and nothing converts them.
#version 100
precision mediump float;
void main() {
    int a = 1.0; //~ error
    float b = 1; //~ error
}
