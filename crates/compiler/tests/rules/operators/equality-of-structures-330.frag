// GLSL 3.30, 5.7: Structures are equal where all members are.
// value: 1 0 1 1
// set a = 1
#version 330
out vec4 color;
uniform float a;
struct T { vec2 v; int n; };
struct S { float a; T t; bool b; };

void main() {
    S s = S(a, T(vec2(2.0, 3.0), 4), true);
    S t = s;
    bool same = s == t;
    t.t.v.y += 1.0;
    color = vec4(float(same), float(s == t), float(s != t), float(s.t != t.t));
}
