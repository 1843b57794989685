// GLSL 1.20, 5.9: Arrays of one size are equal where all elements are.
// value: 1 0 1 1
// set a = 1
#version 120
uniform float a;

void main() {
    float p[2], q[2];
    p[0] = a; p[1] = 2.0;
    q[0] = 1.0; q[1] = 2.0;
    bool same = p == q;
    q[1] = 3.0;
    gl_FragColor = vec4(same, p == q, p != q, 1.0);
}
