// ES 1.00, 5.10: `?:`, comparisons and logic of constants are constant expressions.
// value: 1 2 0 1
#version 100
precision mediump float;
const bool b = true;
const int n = 3;

void main() {
    float p[b ? 1 : 5];
    float q[(n > 2 && !(n == 4)) ? 2 : 1];
    p[0] = 1.0;
    q[1] = 2.0;
    gl_FragColor = vec4(p[0], q[1], 0.0, 1.0);
}
