// ES 1.00, 4.1.9: The size comes after the name.
#version 100
precision mediump float;
void main() {
    float[2] a, b; //~ error: GLSL ES 1.00 has no types of arrays
}
