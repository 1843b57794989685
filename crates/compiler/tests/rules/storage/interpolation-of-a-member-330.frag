// GLSL 3.30, 4.1.8: A member of a structure has no interpolation.
#version 330
out vec4 color;
struct S {
    flat float a; //~ error: `flat` is not allowed on a member of a structure
    smooth float b; //~ error: `smooth` is not allowed on a member of a structure
    float c;
};

void main() {
    color = vec4(1.0);
}
