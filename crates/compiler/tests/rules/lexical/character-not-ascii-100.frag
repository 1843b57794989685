// ES 1.00, 3.1: A name consists of ASCII letters, digits and underscores.
#version 100
precision mediump float;
void main() {
    float größe = 1.0; //~ error
}
