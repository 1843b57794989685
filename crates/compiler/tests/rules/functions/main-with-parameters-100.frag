// ES 1.00, 6.1: `main` takes nothing.
#version 100
precision mediump float;
void main(float a) { //~ error
}
