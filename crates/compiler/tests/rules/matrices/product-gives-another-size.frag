// GLSL 3.30, 5.9: The product has the rows of the left matrix and the columns of the right one.
#version 330
out vec4 color;
void main() {
    mat2x3 a = mat2x3(1.0);
    mat3x2 b = mat3x2(1.0);
    mat2 c = a * b; //~ error
    mat3 d = a * b;
    vec3 e = a * vec3(1.0); //~ error
    a *= b; //~ error
}
