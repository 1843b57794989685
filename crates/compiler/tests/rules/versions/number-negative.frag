// GLSL 3.30, 3.3: The number of a version has no sign.
#version -330 //~ error: `-` is no version of the language
void main() {
}
