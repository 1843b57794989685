// ES 1.00, 6.2: `if` has a condition.
#version 100
precision mediump float;
void main() {
    if () {} //~ error: expected an expression, found `)`
}
