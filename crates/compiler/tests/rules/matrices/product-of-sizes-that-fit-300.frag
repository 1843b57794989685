#version 300 es
// ES 3.00, 5.10: The columns of the left matrix are as many as the rows of the right one.
// value: 9 12 15 5
precision highp float;
out vec4 color;
void main() {
    mat2x3 a = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    mat2 b = mat2(1.0, 2.0, 0.0, 1.0);
    mat2x3 c = a * b;
    vec2 d = vec3(1.0, 0.0, 1.0) * mat2x3(2.0, 9.0, 3.0, 4.0, 5.0, 6.0);
    color = vec4(c[0], d.x);
}
