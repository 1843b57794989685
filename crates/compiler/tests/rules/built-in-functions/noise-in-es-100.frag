// ES 1.00, 8: There is no noise.
#version 100
precision mediump float;
void main() {
    float a = noise1(1.0); //~ error
}
