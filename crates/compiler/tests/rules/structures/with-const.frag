// GLSL 3.30, 4.1.8: A constant may be declared with its structure.
// value: 3 0 0 1
#version 330
out vec4 color;
const struct S { float a; } s = S(3.0);

void main() {
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
