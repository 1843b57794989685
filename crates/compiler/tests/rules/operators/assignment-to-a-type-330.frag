// GLSL 3.30, 5.8: A type is no variable.
#version 330
out vec4 color;
void main() {
    float = 1.0; //~ error: expected the name of a variable, found `=`
}
