// GLSL 3.30, 5.9: Both sides of `:` may be structures.
// value: 2 0 0 1
// set b = 0
#version 330
out vec4 color;
uniform bool b;
struct S { float a; };

void main() {
    S s = b ? S(1.0) : S(2.0);
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
