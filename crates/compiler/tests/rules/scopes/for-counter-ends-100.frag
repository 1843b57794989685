// ES 1.00, 6.3: What the head of `for` declares ends with the loop.
#version 100
precision mediump float;
void main() {
    for (int i = 0; i < 2; i++) {}
    float a = float(i); //~ error
}
