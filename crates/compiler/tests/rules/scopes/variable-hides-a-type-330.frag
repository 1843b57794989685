// GLSL 3.30, 4.2.2: A local variable hides a structure.
// value: 3 0 0 1
#version 330
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    int S = 3;
    color = vec4(float(S), 0.0, 0.0, s.a);
}
