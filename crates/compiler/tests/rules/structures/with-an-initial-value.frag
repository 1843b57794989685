// ES 1.00, 4.1.8: A variable that is declared with its structure may have an initial value.
// value: 3 0 0 1
#version 100
precision mediump float;
void main() {
    struct S { float a; } s = S(3.0);
    gl_FragColor = vec4(s.a, 0.0, 0.0, 1.0);
}
