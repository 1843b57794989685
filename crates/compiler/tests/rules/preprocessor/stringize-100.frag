// ES 1.00, 3.4: There are no strings, so no operator `#` makes one.
#version 100
precision mediump float;
#define S(x) #x

void main() {
    float a = S(b); //~ error
}
