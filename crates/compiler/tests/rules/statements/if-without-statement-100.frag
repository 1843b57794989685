// ES 1.00, 6.2: `if` has a statement.
#version 100
precision mediump float;
void main() {
    if (true) } //~ error: expected a statement after `if (...)`, found `}`
