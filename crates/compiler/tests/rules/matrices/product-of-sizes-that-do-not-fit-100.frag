// ES 1.00, 5.11: The columns of the left matrix are as many as the rows of the right one.
#version 100
precision mediump float;
void main() {
    mat2 a = mat2(1.0);
    mat3 b = mat3(1.0);
    mat3 c = a * b; //~ error: `*` does not take `mat2` and `mat3`
    vec3 d = a * vec3(1.0); //~ error: `*` does not take `mat2` and `vec3`
    vec2 e = vec2(1.0) * b; //~ error: `*` does not take `vec2` and `mat3`
}
