// GLSL 3.30, 4.1.8: A member of a structure has no storage qualifier.
#version 330
out vec4 color;
struct S {
    uniform float a; //~ error: `uniform` is not allowed on a member of a structure
    const float b; //~ error: `const` is not allowed on a member of a structure
    in float c; //~ error: `in` is not allowed on a member of a structure
    float d;
};

void main() {
    color = vec4(1.0);
}
