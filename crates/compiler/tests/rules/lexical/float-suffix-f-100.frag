// ES 1.00, 4.1.4: A float has no suffix here.
#version 100
precision mediump float;
void main() {
    float a = 1.5f; //~ error: GLSL ES 1.00 has no numbers with `f`
}
