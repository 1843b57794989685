// ES 1.00, 5.4.2: A matrix from one bool or int has it as a float on its diagonal.
// value: 1 0 3 0
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    mat2 m = mat2(b), n = mat2(3);
    gl_FragColor = vec4(m[1][1], m[0][1], n[0][0], n[1][0]);
}
