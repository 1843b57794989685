// ES 1.00, 5.8: A function is no variable.
#version 100
precision mediump float;
float f() { return 1.0; }

void main() {
    f = 1.0; //~ error: `f` is a function, not a value
}
