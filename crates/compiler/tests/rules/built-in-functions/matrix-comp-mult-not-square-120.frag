// GLSL 1.20, 8.5: matrixCompMult takes matrices of any size.
// value: 4 10 18 1
#version 120
void main() {
    mat2x3 m = matrixCompMult(mat2x3(1.0), mat2x3(1.0));
    m = matrixCompMult(mat2x3(0.0, 0.0, 0.0, 1.0, 2.0, 3.0), mat2x3(0.0, 0.0, 0.0, 4.0, 5.0, 6.0));
    gl_FragColor = vec4(m[1], 1.0);
}
