// ES 1.00, 5.4: There are no constructors of arrays.
#version 100
precision mediump float;
void main() {
    float a[2] = float[2](1.0, 2.0); //~ error: GLSL ES 1.00 has no initial values of arrays
}
