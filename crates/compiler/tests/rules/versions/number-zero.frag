// GLSL 3.30, 3.3: There is no version 0.
#version 0 //~ error: `0` is not a version of the language
void main() {
}
