// ES 1.00, 5.11: The columns of the left matrix are as many as the rows of the right one.
#version 100
precision mediump float;
void main() {
    mat2 a = mat2(1.0);
    mat3 b = mat3(1.0);
    mat3 c = a * b; //~ error
    vec3 d = a * vec3(1.0); //~ error
    vec2 e = vec2(1.0) * b; //~ error
}
