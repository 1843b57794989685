// GLSL 3.30, 3.3: The number of a version has no sign.
#version -330 //~ error: `-` is not a version of the language
void main() {
}
