#version 300 es
// ES 3.00, 4.1.6: mat2x2 is mat2.
// value: 4 0 0 1
precision highp float;
out vec4 color;
void main() {
    mat2x2 m = mat2(1.0, 2.0, 3.0, 4.0);
    color = vec4(m[1][1], 0.0, 0.0, 1.0);
}
