// GLSL 3.30, 4.1.6: Matrices are of floats.
#version 330
out vec4 color;
void main() {
    imat2 a; //~ error
    mat2x1 b; //~ error
    mat1x2 c; //~ error
}
