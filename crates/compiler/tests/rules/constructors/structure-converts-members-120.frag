// GLSL 1.20, 5.4.3: An int is converted for a member of float.
// value: 1 2 0 1
#version 120
struct S { float a; float b; };

void main() {
    S s = S(1, 2.0);
    gl_FragColor = vec4(s.a, s.b, 0.0, 1.0);
}
