// GLSL 3.30, 5.7: Structures with arrays are compared.
// value: 1 0 0 1
#version 330
out vec4 color;
struct S { float a[2]; };

void main() {
    S s, t;
    s.a[0] = 1.0; s.a[1] = 2.0;
    t = s;
    bool same = s == t;
    t.a[1] = 3.0;
    color = vec4(same, s == t, 0.0, 1.0);
}
