// ES 1.00, 5.9: Arrays are not compared.
#version 100
precision mediump float;
uniform float a;

void main() {
    float p[2], q[2];
    p[0] = a; p[1] = 2.0;
    q[0] = 1.0; q[1] = 2.0;
    bool same = p == q; //~ error: GLSL ES 1.00 does not compare arrays, nor structures that have some
}
