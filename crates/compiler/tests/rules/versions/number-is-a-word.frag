// GLSL 3.30, 3.3: `#version` needs a number.
#version core //~ error: `core` is no version of the language
void main() {
}
