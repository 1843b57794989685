#version 300 es
// ES 3.00, 4.1.6: Matrices are of floats.
precision highp float;
out vec4 color;
void main() {
    imat2 a; //~ error: there is no type `imat2`
    mat2x1 b; //~ error: there is no type `mat2x1`
    mat1x2 c; //~ error: there is no type `mat1x2`
}
