// GLSL 1.10, 4.1: mat2x2 is no type here.
#version 110
void main() {
    mat2x2 m = mat2(1.0, 2.0, 3.0, 4.0); //~ error: GLSL 1.10 has no type `mat2x2`
}
