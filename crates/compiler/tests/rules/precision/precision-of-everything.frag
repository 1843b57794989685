// ES 1.00, 4.5.2: Floats, integers, vectors, matrices and samplers have precisions, as variables, parameters,
// results and members.
// value: 4 0 0 1
#version 100
precision mediump float;
uniform lowp sampler2D s;
struct S { highp float a; mediump ivec2 b; lowp mat2 c; };
const lowp int n = 2;
highp vec2 f(in mediump vec2 a, out lowp float b) { b = a.x; return a; }

void main() {
    lowp float b;
    highp vec2 v = f(vec2(2.0), b);
    S s2 = S(1.0, ivec2(2), mat2(1.0));
    gl_FragColor = vec4(v.x + b * s2.c[1][1], 0.0, 0.0, 1.0);
}
