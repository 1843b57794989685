// ES 1.00, 9: A declaration names what it declares.
#version 100
precision mediump float;
void main() {
    float = 1.0; //~ error
    float a b; //~ error
    float a, ; //~ error
}
