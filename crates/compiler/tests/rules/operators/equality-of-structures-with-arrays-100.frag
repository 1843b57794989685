// ES 1.00, 5.7: Structures with arrays are not compared.
#version 100
precision mediump float;
struct S { float a[2]; };

void main() {
    S s, t;
    s.a[0] = 1.0; s.a[1] = 2.0;
    t = s; //~ error: GLSL ES 1.00 does not assign arrays
    bool same = s == t; //~ error: GLSL ES 1.00 does not compare arrays, nor structures that have some
}
