// GLSL 1.50, 4.3.4: An input may be a structure.
// value: 1 0 0 1
#version 150
out vec4 color;
struct S { float a; vec2 b; };
in S s;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
