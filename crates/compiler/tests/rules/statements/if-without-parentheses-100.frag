// ES 1.00, 6.2: A condition is enclosed in parentheses.
#version 100
precision mediump float;
void main() {
    if true {} //~ error: expected `(` after `if`, found `true`
}
