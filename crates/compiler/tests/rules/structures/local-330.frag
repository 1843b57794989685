// GLSL 3.30, 4.1.8: A structure may be declared in a function.
// value: 2 0 0 1
#version 330
out vec4 color;
void main() {
    struct S { float a; };
    S s = S(2.0);
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
