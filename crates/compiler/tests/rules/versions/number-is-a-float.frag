// GLSL 3.30, 3.3: The number of a version is whole.
#version 3.30 //~ error: `3.30` is not a version of the language
void main() {
}
