// GLSL 3.30, 4.1.8: A member has no initial value.
#version 330
out vec4 color;
struct S {
    float a = 1.0; //~ error: expected `;` after a member, which has no initial value, found `=`
    float b;
};

void main() {
    color = vec4(1.0);
}
