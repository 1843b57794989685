// ES 1.00, 5.8: A structure is assigned whole.
// value: 1 2 3 1
#version 100
precision mediump float;
struct S { float a; vec2 b; };

void main() {
    S s = S(1.0, vec2(2.0, 3.0)), t;
    t = s;
    s.a = 9.0;
    gl_FragColor = vec4(t.a, t.b, 1.0);
}
