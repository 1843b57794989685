// ES 1.00, 4.3.5: Inputs are declared outside of functions.
#version 100
precision mediump float;
void main() {
    varying float v; //~ error: `varying` is not possible at a variable of a function
}
