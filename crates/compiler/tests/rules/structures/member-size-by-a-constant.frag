// ES 1.00, 4.1.8: The size of a member is a constant expression.
// value: 7 0 0 1
#version 100
precision mediump float;
const int n = 2;
struct S { float a[n + 1]; };

void main() {
    S s;
    s.a[2] = 7.0;
    gl_FragColor = vec4(s.a[2], 0.0, 0.0, 1.0);
}
