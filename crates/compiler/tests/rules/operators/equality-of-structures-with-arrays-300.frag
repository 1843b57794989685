#version 300 es
// ES 3.00, 5.7: Structures with arrays are compared.
// value: 1 0 0 1
precision highp float;
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
