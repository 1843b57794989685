// ES 1.00, 4.2.6: A local structure hides a global one of its name: they are different types.
// value: 1 2 3 1
#version 100
precision mediump float;
struct S { float a; };
S outer() { return S(1.0); }

void main() {
    struct S { vec2 b; };
    S s = S(vec2(2.0, 3.0));
    gl_FragColor = vec4(outer().a, s.b, 1.0);
}
