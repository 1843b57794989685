// GLSL 3.30, 3.1: There are no characters as values, so `'` is no character of the language.
#version 330
out vec4 color;
void main() {
    float a = float('a'); //~ error: the character '\'' does not exist in the language
}
