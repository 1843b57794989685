// GLSL 1.20, 8.5: transpose exchanges rows and columns; outerProduct is a column times a row.
// value: 3 2 8 6
#version 120
void main() {
    mat2 a = transpose(mat2(1.0, 2.0, 3.0, 4.0));
    mat2 b = outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0));
    gl_FragColor = vec4(a[0][1], a[1][0], b[1][1], b[0][1]);
}
