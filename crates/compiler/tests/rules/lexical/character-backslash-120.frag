// GLSL 1.20, 3.1: A backslash is no character of the language.
#version 120
void main() {
    float a = 1.0 \ 2.0; //~ error: the character '\\' does not exist in the language
}
