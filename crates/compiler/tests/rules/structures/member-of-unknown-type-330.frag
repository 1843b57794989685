// GLSL 3.30, 4.1.8: The type of a member is declared before.
#version 330
out vec4 color;
struct S {
    T t; //~ error: there is no type `T`
    float a;
};

void main() {
    color = vec4(1.0);
}
