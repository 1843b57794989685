// ES 1.00, 6.3: `while` has a condition.
#version 100
precision mediump float;
void main() {
    while () {} //~ error: expected an expression, found `)`
    do {} while (); //~ error: expected an expression, found `)`
}
