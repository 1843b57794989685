// ES 1.00, 4.1.4: A point alone is no number.
#version 100
precision mediump float;
void main() {
    float a = .; //~ error: expected an expression, found `.`
}
