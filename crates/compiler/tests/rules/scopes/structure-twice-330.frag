// GLSL 3.30, 4.2.2: A structure is declared once in a scope.
#version 330
out vec4 color;
struct S { float a; };
struct S { float a; }; //~ error: `S` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
