// GLSL 3.30, 4.3.3: Structures and arrays of constants are constants, with all their parts.
// value: 2 4 1 1
#version 330
out vec4 color;
struct T { vec2 v; int n; };
struct S { T t; float a[2]; };
const S s = S(T(vec2(1.0, 2.0), 3), float[2](4.0, 5.0));
const float a = s.t.v.y;
const float b = s.a[0];
const bool same = s == S(T(vec2(1.0, 2.0), 3), float[2](4.0, 5.0));

void main() {
    color = vec4(a, b, same, 1.0);
}
