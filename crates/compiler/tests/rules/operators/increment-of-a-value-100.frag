// ES 1.00, 5.9: `++` and `--` need something that can be written.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    1.0++; //~ error: this is a value; `++` needs a variable, or a part of one
    (a + 1.0)--; //~ error: this is a value; `--` needs a variable, or a part of one
    ++(-a); //~ error: this is a value; `++` needs a variable, or a part of one
    a++ ++; //~ error: this is a value; `++` needs a variable, or a part of one
}
