// ES 1.00, 4.2.6: A local variable hides a structure.
// value: 3 0 0 1
#version 100
precision mediump float;
struct S { float a; };

void main() {
    S s = S(1.0);
    int S = 3;
    gl_FragColor = vec4(float(S), 0.0, 0.0, s.a);
}
