// ES 1.00, 4.4: A structure is copied like any other argument.
// value: 1 5 2 1
#version 100
precision mediump float;
struct S { float a; vec2 b; };
float f(S s) { s.a = 9.0; return s.b.y; }
void g(inout S s) { s.b.x += 4.0; }
void h(out S s) { s.a = 2.0; s.b = vec2(2.0); }

void main() {
    S s = S(1.0, vec2(1.0)), t;
    float b = f(s);
    g(s);
    h(t);
    gl_FragColor = vec4(s.a, s.b.x, t.a * b, 1.0);
}
