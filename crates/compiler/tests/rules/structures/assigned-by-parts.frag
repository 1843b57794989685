// ES 1.00, 5.8: A structure that was assigned is a copy.
// value: 1 9 0 1
#version 100
precision mediump float;
struct S { vec2 v; };

void main() {
    S s = S(vec2(1.0)), t = s;
    t.v.x = 9.0;
    gl_FragColor = vec4(s.v.x, t.v.x, 0.0, 1.0);
}
