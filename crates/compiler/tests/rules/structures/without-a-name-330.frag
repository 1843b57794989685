// GLSL 3.30, 9: A structure needs no name.
// value: 3 0 0 1
#version 330
out vec4 color;
struct { float a; } s;

void main() {
    s.a = 3.0;
    color = vec4(s.a, 0.0, 0.0, 1.0);
}
