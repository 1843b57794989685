#version 300 es
// ES 3.00, 5.10: The columns of the left matrix are as many as the rows of the right one.
precision highp float;
out vec4 color;
void main() {
    mat2 a = mat2(1.0);
    mat3 b = mat3(1.0);
    mat3 c = a * b; //~ error
    vec3 d = a * vec3(1.0); //~ error
    vec2 e = vec2(1.0) * b; //~ error
}
