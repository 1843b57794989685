// ES 1.00, 3.4: `#` is the first token of its line.
#version 100
precision mediump float;
void main() {
    float a = 1.0; #define B 2.0 //~ error: `#` outside a directive
}
