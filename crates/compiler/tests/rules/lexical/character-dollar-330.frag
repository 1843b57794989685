// GLSL 3.30, 3.1: `$` is no character of the language.
#version 330
out vec4 color;
void main() {
    float a$b = 1.0; //~ error: the character '$' does not exist in the language
}
