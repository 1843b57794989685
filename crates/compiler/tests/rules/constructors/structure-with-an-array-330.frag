// GLSL 3.30, 5.4.3: An array is the argument for a member that is one.
// value: 1 2 3 1
#version 330
out vec4 color;
struct S { float a[2]; float b; };

void main() {
    float w[2];
    w[0] = 1.0;
    w[1] = 2.0;
    S s = S(w, 3.0);
    color = vec4(s.a[0], s.a[1], s.b, 1.0);
}
