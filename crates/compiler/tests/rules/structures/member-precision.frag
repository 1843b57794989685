#version 300 es
// ES 3.00, 4.1.8: Members have precisions.
// value: 1 0 0 1
precision highp float;
out vec4 color;
struct S { highp float a; lowp vec2 b; };

void main() {
    S s = S(1.0, vec2(2.0));
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
