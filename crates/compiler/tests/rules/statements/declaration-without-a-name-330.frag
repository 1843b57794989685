// GLSL 3.30, 9: A declaration names what it declares.
#version 330
out vec4 color;
void main() {
    float = 1.0; //~ error
    float a b; //~ error
    float a, ; //~ error
}
