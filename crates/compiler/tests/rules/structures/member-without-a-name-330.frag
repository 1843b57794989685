// GLSL 3.30, 4.1.8: A member has a name.
#version 330
out vec4 color;
struct T { float a; };
struct S {
    T; //~ error: expected the name of a member, found `;`
    float b;
};

void main() {
    color = vec4(1.0);
}
