// ES 1.00, 4.1.8: A structure may be declared in a function.
// value: 2 0 0 1
#version 100
precision mediump float;
void main() {
    struct S { float a; };
    S s = S(2.0);
    gl_FragColor = vec4(s.a, 0.0, 0.0, 1.0);
}
