// ES 1.00, 8.5: matrixCompMult multiplies element by element.
// value: 5 12 21 32
#version 100
precision mediump float;
void main() {
    mat2 m = matrixCompMult(mat2(1.0, 2.0, 3.0, 4.0), mat2(5.0, 6.0, 7.0, 8.0));
    gl_FragColor = vec4(m[0], m[1]);
}
