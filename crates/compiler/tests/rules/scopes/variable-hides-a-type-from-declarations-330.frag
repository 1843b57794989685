// GLSL 3.30, 4.2.2: A local variable hides a structure, which then declares nothing.
#version 330
out vec4 color;
struct S { float a; };

void main() {
    int S = 3;
    S s; //~ error: `S` is a variable here, not a type
}
