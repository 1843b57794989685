// ES 1.00, 4.1.8: A structure has members of any types, read and written by their names.
// value: 1 2 3 4
#version 100
precision mediump float;
struct S { float a; vec2 b, c; int n[2]; };

void main() {
    S s;
    s.a = 1.0;
    s.b = vec2(2.0);
    s.c.y = 3.0;
    s.n[1] = 4;
    gl_FragColor = vec4(s.a, s.b.x, s.c.y, float(s.n[1]));
}
