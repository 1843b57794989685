// GLSL 3.30, 9: A declaration has one type.
#version 330
out vec4 color;
uniform vec4 float a; //~ error: the type `float` cannot be a name

void main() {
    int float b = 1; //~ error: the type `float` cannot be a name
}
