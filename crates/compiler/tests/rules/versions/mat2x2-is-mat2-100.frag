// ES 1.00, 4.1: mat2x2 is no type here.
#version 100
precision mediump float;
void main() {
    mat2x2 m = mat2(1.0, 2.0, 3.0, 4.0); //~ error: GLSL ES 1.00 has no type `mat2x2`
}
