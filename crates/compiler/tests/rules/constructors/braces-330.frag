// GLSL 3.30, 4.1.9: There are no lists in braces.
#version 330
out vec4 color;
void main() {
    float a[2] = { 1.0, 2.0 }; //~ error: GLSL 3.30 has no lists of initial values
    vec2 b = { 1.0, 2.0 }; //~ error: GLSL 3.30 has no lists of initial values
}
