// ES 1.00, 9: After a wrong statement the next one is read.
#version 100
precision mediump float;
void main() {
    float a = ; //~ error
    float b = true; //~ error
    b = * 2.0; //~ error
    float c = (1.0 + ; //~ error
    b = missing; //~ error
    float d = 1.0 2.0; //~ error
}
