#version 300 es
// ES 3.00, 4.1.6: Matrices are of floats.
precision highp float;
out vec4 color;
void main() {
    imat2 a; //~ error
    mat2x1 b; //~ error
    mat1x2 c; //~ error
}
