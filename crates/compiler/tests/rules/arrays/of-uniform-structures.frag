// ES 1.00, 4.3.4: A uniform array of structures has all members of each.
// value: 3 6 0 1
// set s[1].a = 3
// set s[1].b = 5 6
#version 100
precision mediump float;
struct S { float a; vec2 b; };
uniform S s[2];

void main() {
    gl_FragColor = vec4(s[1].a, s[1].b.y, 0.0, 1.0);
}
