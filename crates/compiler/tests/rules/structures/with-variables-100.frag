// ES 1.00, 4.1.8: Variables may follow the structure at once.
// value: 3 4 0 1
#version 100
precision mediump float;
struct S { float a; } s, t[2];

void main() {
    s.a = 3.0;
    t[1] = S(4.0);
    gl_FragColor = vec4(s.a, t[1].a, 0.0, 1.0);
}
