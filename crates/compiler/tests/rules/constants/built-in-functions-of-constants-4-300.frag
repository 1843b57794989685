#version 300 es
// ES 3.00, 4.3.3: Built-in functions of matrices give constants.
// value: 3 2 8 6
precision highp float;
out vec4 color;
const mat2 a = transpose(mat2(1.0, 2.0, 3.0, 4.0));
const mat2 b = matrixCompMult(mat2(2.0), mat2(4.0));
const mat2 c = outerProduct(vec2(1.0, 2.0), vec2(2.0, 3.0));

void main() {
    color = vec4(a[0][1], a[1][0], b[1][1], c[1][1]);
}
