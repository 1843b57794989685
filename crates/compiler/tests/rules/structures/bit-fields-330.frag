// GLSL 3.30, 4.1.8: A member has no width in bits.
#version 330
out vec4 color;
struct S {
    int a : 3; //~ error: expected `;` after a member, found `:`
    int b;
};

void main() {
    color = vec4(1.0);
}
