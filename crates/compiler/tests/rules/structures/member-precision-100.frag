// ES 1.00, 4.1.8: Members have precisions.
// value: 1 0 0 1
#version 100
precision mediump float;
struct S { highp float a; lowp vec2 b; };

void main() {
    S s = S(1.0, vec2(2.0));
    gl_FragColor = vec4(s.a, 0.0, 0.0, 1.0);
}
