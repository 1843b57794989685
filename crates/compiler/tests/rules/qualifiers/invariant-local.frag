// ES 1.00, 4.6.1: `invariant` stands outside of functions.
#version 100
precision mediump float;
void main() {
    invariant float a = 1.0; //~ error: `invariant` is not possible at a variable of a function
}
