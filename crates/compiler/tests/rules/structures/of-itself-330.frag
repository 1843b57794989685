// GLSL 3.30, 4.1.8: A structure has no member of its own type.
#version 330
out vec4 color;
struct S {
    float a;
    S s; //~ error: there is no type `S`
};

void main() {
    color = vec4(1.0);
}
