// GLSL 3.30, 3.3: Macros are not expanded in `#version`.
#version __VERSION__ //~ error: `__VERSION__` is not a version of the language
void main() {
}
