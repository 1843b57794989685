// ES 1.00, 6.3: A semicolon ends `do`.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    do { a += 1.0; } while (a < 3.0) } //~ error: expected `;` after `do ... while (...)`
