// GLSL 3.30, 4.1.8: A structure has no functions.
#version 330
out vec4 color;
struct S {
    float f() { return 1.0; } //~ error: expected `;` after a member, found `(`
    float a;
};

void main() {
    color = vec4(1.0);
}
