// GLSL 3.30, 4.2.2: A local structure hides a global variable.
// value: 6 0 0 1
#version 330
out vec4 color;
float S = 1.0;

void main() {
    struct S { float a; };
    S s = S(6.0);
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
