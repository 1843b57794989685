// ES 1.00, 5.1: Assignments bind from the right.
// value: 5 5 2 1
#version 100
precision mediump float;
void main() {
    float a = 1.0, b = 2.0, c = 3.0;
    a = b += c;
    gl_FragColor = vec4(a, b, c - 1.0, 1.0);
}
