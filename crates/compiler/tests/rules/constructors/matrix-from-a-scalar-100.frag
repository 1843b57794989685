// ES 1.00, 5.4.2: A matrix from one scalar has it on its diagonal, else 0.
// value: 2 0 0 2
// set u = 2
#version 100
precision mediump float;
uniform float u;

void main() {
    mat2 m = mat2(u);
    gl_FragColor = vec4(m[0], m[1]);
}
