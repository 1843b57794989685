// GLSL 3.30, 4.1.8: A member of a structure has no storage qualifier.
#version 330
out vec4 color;
struct S {
    uniform float a; //~ error
    const float b; //~ error
    in float c; //~ error
    float d;
};

void main() {
    color = vec4(1.0);
}
