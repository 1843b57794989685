// GLSL 3.30, 3.3: `#version` needs a number.
#version core //~ error: `core` is not a version of the language
void main() {
}
