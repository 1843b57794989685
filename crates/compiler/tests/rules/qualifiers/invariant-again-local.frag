// ES 1.00, 4.6.1: `invariant` stands outside of functions.
#version 100
precision mediump float;
varying vec2 a;

void main() {
    invariant a; //~ error: this declaration is only possible outside of functions
}
