// GLSL 3.30, 9: A declaration has a type.
#version 330
out vec4 color;
uniform a; //~ error
const b = 1.0; //~ error
in c; //~ error

void main() {
    color = vec4(1.0);
}
