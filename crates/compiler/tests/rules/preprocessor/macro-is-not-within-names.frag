// ES 1.00, 3.4: Macros are whole names, never parts of one.
// value: 1 2 0 1
#version 100
precision mediump float;
#define a 9.0

void main() {
    float ab = 1.0, b_a = 2.0;
    gl_FragColor = vec4(ab, b_a, 0.0, 1.0);
}
