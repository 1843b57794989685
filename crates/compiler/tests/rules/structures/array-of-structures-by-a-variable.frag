// GLSL 3.30, 5.7: An array of structures is indexed by anything.
// value: 4 8 0 1
// set n = 1
#version 330
out vec4 color;
uniform int n;
struct S { float a; vec2 b; };

void main() {
    S s[2] = S[2](S(1.0, vec2(2.0)), S(3.0, vec2(4.0)));
    float c = s[n].b.y;
    s[n - 1].b.x = 8.0;
    color = vec4(c, s[0].b.x, 0.0, 1.0);
}
