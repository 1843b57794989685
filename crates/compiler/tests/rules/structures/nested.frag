// ES 1.00, 4.1.8: A member may be a structure that was declared before.
// value: 5 6 0 1
#version 100
precision mediump float;
struct T { vec2 v; };
struct S { T t; };

void main() {
    S s;
    s.t.v = vec2(5.0, 6.0);
    gl_FragColor = vec4(s.t.v, 0.0, 1.0);
}
