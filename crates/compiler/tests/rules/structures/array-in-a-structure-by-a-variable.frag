// GLSL 3.30, 5.7: An array in a structure is indexed by anything.
// value: 2 7 0 1
// set n = 1
#version 330
out vec4 color;
uniform int n;
struct S { float a[2]; };

void main() {
    S s = S(float[2](1.0, 2.0));
    float b = s.a[n];
    s.a[n - 1] = 7.0;
    color = vec4(b, s.a[0], 0.0, 1.0);
}
