// GLSL 3.30, 3.3: There is no version 115.
#version 115 //~ error: `115` is not a version of the language
void main() {
}
