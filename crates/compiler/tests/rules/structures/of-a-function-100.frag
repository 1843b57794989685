// ES 1.00, 6.1: A function takes and returns structures.
// value: 3 2 0 1
#version 100
precision mediump float;
struct S { float a; vec2 b; };
S f(S s) { s.a += 2.0; return s; }

void main() {
    S s = f(S(1.0, vec2(2.0)));
    gl_FragColor = vec4(s.a, f(s).b.x, 0.0, 1.0);
}
