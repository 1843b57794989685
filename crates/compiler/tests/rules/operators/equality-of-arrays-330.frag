// GLSL 3.30, 5.7: Arrays of one size are equal where all elements are.
// value: 1 0 1 1
// set a = 1
#version 330
out vec4 color;
uniform float a;

void main() {
    float p[2], q[2];
    p[0] = a; p[1] = 2.0;
    q[0] = 1.0; q[1] = 2.0;
    bool same = p == q;
    q[1] = 3.0;
    color = vec4(same, p == q, p != q, 1.0);
}
