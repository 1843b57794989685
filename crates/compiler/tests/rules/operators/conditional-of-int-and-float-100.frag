// ES 1.00, 5.9: Both sides of `:` have one type.
#version 100
precision mediump float;
uniform bool b;

void main() {
    float a = b ? 1 : 2.5; //~ error: both sides of `?:` must have one type, not `int` and `float`
}
