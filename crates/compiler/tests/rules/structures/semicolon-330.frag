// GLSL 3.30, 9: A semicolon ends a structure.
#version 330
out vec4 color;
struct S { float a; } //~ error: expected `;` after a declaration

void main() {
    color = vec4(1.0);
}
