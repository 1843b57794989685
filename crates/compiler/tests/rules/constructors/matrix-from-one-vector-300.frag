#version 300 es
// ES 3.00, 5.4.2: A mat2 may be made from one vec4.
// value: 1 2 3 4
precision highp float;
out vec4 color;
void main() {
    mat2 a = mat2(vec4(1.0, 2.0, 3.0, 4.0));
    color = vec4(a[0], a[1]);
}
