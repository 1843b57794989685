// GLSL 1.20, 5.4.4: An array may be made of structures.
// value: 1 4 0 1
#version 120
struct S { float a; vec2 b; };

void main() {
    S s[2] = S[2](S(1.0, vec2(2.0)), S(3.0, vec2(4.0)));
    gl_FragColor = vec4(s[0].a, s[1].b.y, 0.0, 1.0);
}
