// GLSL 3.30, 4.1.8: A structure has members.
#version 330
out vec4 color;
struct S {}; //~ error: a structure needs members

void main() {
    color = vec4(1.0);
}
