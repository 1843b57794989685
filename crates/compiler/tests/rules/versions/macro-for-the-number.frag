// GLSL 3.30, 3.3: Macros are not expanded in `#version`.
#version __VERSION__ //~ error
void main() {
}
