// GLSL 3.30, 6.1: A function takes and returns structures.
// value: 3 2 0 1
#version 330
out vec4 color;
struct S { float a; vec2 b; };
S f(S s) { s.a += 2.0; return s; }

void main() {
    S s = f(S(1.0, vec2(2.0)));
    color = vec4(s.a, f(s).b.x, 0.0, 1.0);
}
