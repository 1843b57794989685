#version 300 es
// ES 3.00, 4.2.2: A local structure hides a global one of its name: they are different types.
// value: 1 2 3 1
precision highp float;
out vec4 color;
struct S { float a; };
S outer() { return S(1.0); }

void main() {
    struct S { vec2 b; };
    S s = S(vec2(2.0, 3.0));
    color = vec4(outer().a, s.b, 1.0);
}
