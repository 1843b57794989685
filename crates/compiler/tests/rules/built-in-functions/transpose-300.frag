#version 300 es
// ES 3.00, 8.6: transpose exchanges rows and columns; outerProduct is a column times a row.
// value: 3 2 8 6
precision highp float;
out vec4 color;
void main() {
    mat2 a = transpose(mat2(1.0, 2.0, 3.0, 4.0));
    mat2 b = outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0));
    color = vec4(a[0][1], a[1][0], b[1][1], b[0][1]);
}
