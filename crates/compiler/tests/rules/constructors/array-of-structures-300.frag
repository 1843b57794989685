#version 300 es
// ES 3.00, 5.4.4: An array may be made of structures.
// value: 1 4 0 1
precision highp float;
out vec4 color;
struct S { float a; vec2 b; };

void main() {
    S s[2] = S[2](S(1.0, vec2(2.0)), S(3.0, vec2(4.0)));
    color = vec4(s[0].a, s[1].b.y, 0.0, 1.0);
}
