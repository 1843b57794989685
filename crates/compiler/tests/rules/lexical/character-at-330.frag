// GLSL 3.30, 3.1: `@` is no character of the language.
#version 330
out vec4 color;
@ //~ error: the character '@' does not exist in the language

void main() {
    color = vec4(1.0);
}
