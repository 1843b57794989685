// GLSL 3.30, 3.1: A name consists of ASCII letters, digits and underscores.
#version 330
out vec4 color;
void main() {
    float größe = 1.0; //~ error: the character 'ö' does not exist in the language
}
