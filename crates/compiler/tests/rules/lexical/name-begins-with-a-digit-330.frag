// GLSL 3.30, 3.7: A name does not begin with a digit.
#version 330
out vec4 color;
void main() {
    float 1a = 1.0; //~ error: expected the name of a variable, found `1a`
}
