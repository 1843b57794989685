// GLSL 3.30, 4.7: Qualifiers stand before the type.
#version 330
out vec4 color;
float uniform a; //~ error
float const b = 1.0; //~ error
vec4 in c; //~ error

void main() {
    color = vec4(1.0);
}
