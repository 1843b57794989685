// ES 1.00, 4.1.3: There are no unsigned integers, so a number has no suffix `u`.
#version 100
precision mediump float;
void main() {
    int a = 1u; //~ error: GLSL ES 1.00 has no numbers with `u`
}
