// ES 1.00, 7.2: A shader that writes no output is undefined.
#version 100
precision mediump float;
void main() { //~ warning
    float a = 1.0;
}
