// GLSL 1.40, 4.3.4: An input is no structure.
#version 140
out vec4 color;
struct S { float a; vec2 b; };
in S s; //~ error: in GLSL 1.40 an input cannot be a structure

void main() {
}
