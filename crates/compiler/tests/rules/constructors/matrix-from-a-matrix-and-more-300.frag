#version 300 es
// ES 3.00, 5.4.2: A matrix from a matrix has no other arguments.
precision highp float;
out vec4 color;
void main() {
    mat3 m = mat3(1.0);
    mat2 a = mat2(m, 1.0); //~ error: `mat2` is not made of (mat3, float)
    mat4 b = mat4(1.0, m); //~ error: `mat4` is not made of (float, mat3)
}
