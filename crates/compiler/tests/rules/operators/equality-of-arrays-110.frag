// GLSL 1.10, 5.9: Arrays are not compared.
#version 110
uniform float a;

void main() {
    float p[2], q[2];
    p[0] = a; p[1] = 2.0;
    q[0] = 1.0; q[1] = 2.0;
    bool same = p == q; //~ error: GLSL 1.10 does not compare arrays, nor structures that have some
}
