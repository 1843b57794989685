// GLSL 1.20, 4.1: Matrices have two to four columns and rows.
// value: 5 0 0 1
#version 120
void main() {
    mat2x3 m = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    gl_FragColor = vec4(m[1][1], 0.0, 0.0, 1.0);
}
