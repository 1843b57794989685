// ES 1.00, 5.9: Bools and their vectors are compared.
// value: 1 0 1 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    gl_FragColor = vec4(float(b == true), float(b != true), float(bvec2(b) == bvec2(true)), float(bvec2(b, !b) != bvec2(true)));
}
