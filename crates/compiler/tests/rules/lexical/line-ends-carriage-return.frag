// ES 1.00, 3.2: A carriage return with a line feed ends one line, not two.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    float b = 2.0;
    float c = true; //~ error: the initial value is of type `bool`; expected `float`
}
