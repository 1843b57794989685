#version 300 es
// ES 3.00, 4.5.3: With a precision of its own a variable needs no default.
// value: 1 2 3 1
out lowp vec4 color;
highp float f(mediump float a) { return a; }
struct S { lowp float a; };

void main() {
    mediump float a = f(1.0);
    S s = S(2.0);
    const highp vec2 v = vec2(3.0);
    color = vec4(a, s.a, v.x, 1.0);
}
