// ES 1.00, 4.2.6: A local structure hides a global variable.
// value: 6 0 0 1
#version 100
precision mediump float;
float S = 1.0;

void main() {
    struct S { float a; };
    S s = S(6.0);
    gl_FragColor = vec4(s.a, 0.0, 0.0, 1.0);
}
