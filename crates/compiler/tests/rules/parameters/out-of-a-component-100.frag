// ES 1.00, 4.4: An argument of out may be a component, a swizzle, an element, a member, a column.
// value: 1 3 2 5
#version 100
precision mediump float;
struct S { float a; };
void f(out float a, float value) { a = value; }
void g(out vec2 a, vec2 value) { a = value; }

void main() {
    vec4 v = vec4(0.0);
    float w[2];
    S s;
    mat2 m = mat2(0.0);
    f(v.w, 4.0);
    g(v.yx, vec2(3.0, 1.0));
    f(w[1], 2.0);
    f(s.a, 2.0);
    g(m[1], vec2(1.0, 5.0));
    gl_FragColor = vec4(v.x, v.y, w[1] * s.a - 2.0, m[1][1]);
}
