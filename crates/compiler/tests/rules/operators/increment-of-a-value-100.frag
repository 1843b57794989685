// ES 1.00, 5.9: `++` and `--` need something that can be written.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    1.0++; //~ error
    (a + 1.0)--; //~ error
    ++(-a); //~ error
    a++ ++; //~ error
}
