// ES 1.00, 5.9: `+` and `-` before numbers, vectors and matrices.
// value: -2 2 -3 -4
// set a = 2
#version 100
precision mediump float;
uniform float a;

void main() {
    mat2 m = -mat2(1.0, 2.0, 3.0, 4.0);
    gl_FragColor = vec4(-a, + +a, (-vec2(3.0)).x, m[1][1]);
}
