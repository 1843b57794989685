// GLSL 3.30, 5.4.3: A structure is made from its members, in order.
// value: 1 2 3 4
#version 330
out vec4 color;
struct T { vec2 v; };
struct S { float a; T t; int n; };

void main() {
    S s = S(1.0, T(vec2(2.0, 3.0)), 4);
    color = vec4(s.a, s.t.v, float(s.n));
}
