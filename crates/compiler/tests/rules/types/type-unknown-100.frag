// ES 1.00, 4.1: A type is a word of the language or the name of a structure before it.
#version 100
precision mediump float;
Foo g; //~ error
uniform Bar u; //~ error

void main() {
    Thing a; //~ error
}
