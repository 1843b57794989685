// ES 1.00, 4.3.4: A uniform is declared outside of functions.
#version 100
precision mediump float;
void main() {
    uniform float u; //~ error: `uniform` is not possible at a variable of a function
}
