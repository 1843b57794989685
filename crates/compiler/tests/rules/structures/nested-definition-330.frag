// GLSL 3.30, 4.1.8: No structure is defined within another.
#version 330
out vec4 color;
struct S {
    struct T { float a; } t; //~ error: GLSL 3.30 defines no structure within another
    float b;
};

void main() {
    color = vec4(1.0);
}
