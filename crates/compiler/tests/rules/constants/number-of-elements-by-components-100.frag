// ES 1.00, 5.10: Components, elements and members of constants are constant expressions.
// value: 1 2 3 1
#version 100
precision mediump float;
struct S { int n; };
const ivec3 v = ivec3(1, 2, 3);
const S s = S(3);

void main() {
    float a[v.x];
    float b[v[1]];
    float c[s.n];
    a[0] = 1.0;
    b[1] = 2.0;
    c[2] = 3.0;
    gl_FragColor = vec4(a[0], b[1], c[2], 1.0);
}
